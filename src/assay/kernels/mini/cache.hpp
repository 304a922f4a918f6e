// Cache of encodings with a limit in bytes; the least recently used are evicted.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "model.hpp"

namespace assay::mini {

using Shared = std::shared_ptr<Encoding>;

class Cache {
  public:
    explicit Cache(size_t bytes) : room_(bytes) {}

    Shared find(const std::string& key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return nullptr;
        order_.splice(order_.begin(), order_, found->second);
        return found->second->second;
    }

    // Add an encoding, unless it is too large for the cache.
    void put(const std::string& key, Shared encoding) {
        const size_t bytes = encoding->bytes();
        order_.emplace_front(key, std::move(encoding));
        try {
            places_.emplace(key, order_.begin());
        } catch (...) {
            order_.pop_front();
            throw;
        }
        used_ += bytes;
        while (used_ > room_ && order_.size() > 1) {
            used_ -= order_.back().second->bytes();
            places_.erase(order_.back().first);
            order_.pop_back();
        }
    }

    static std::string key(const Text& text, Kind kind, bool precise) {
        std::string out;
        const size_t bytes = text.size * static_cast<size_t>(text.kind);
        out.reserve(bytes + 1);
        out.push_back(static_cast<char>(text.kind << 4 | precise << 3 | kind));
        out.append(static_cast<const char*>(text.data), bytes);
        return out;
    }

  private:
    using Order = std::list<std::pair<std::string, Shared>>;
    size_t room_, used_ = 0;
    Order order_;
    std::unordered_map<std::string, Order::iterator> places_;
};

}  // namespace assay::mini
