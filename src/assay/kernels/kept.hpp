// Prepared references whose memory a thread reuses between calls; their texts are not reused.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "text.hpp"

namespace assay {

// A reference prepared for comparisons. It is prepared again only if its text changes. The text is recorded when the
// preparation is complete, so that a failed one is never used.
template <class Reference>
class Remembered : public Reference {
  public:
    template <class... Options>
    void prepare(const Text& text, const Options&... options) {
        if (text_ && text == text_) return;
        text_ = Text{};
        Reference::prepare(text, options...);
        text_ = text;
    }
    void forget() { text_ = Text{}; }

  private:
    Text text_;
};

// The references of one call, one per column. `keep` returns their memory to the calling thread without the texts, which
// may be freed before the next call. After an exception, incomplete references are destroyed with this object.
template <class Reference>
class Kept {
  public:
    explicit Kept(size_t columns) : references_(std::exchange(idle(), {})) {
        while (references_.size() < columns) references_.push_back(std::make_unique<Remembered<Reference>>());
    }
    Remembered<Reference>& operator[](size_t column) { return *references_[column]; }
    void keep() {
        for (auto& reference : references_) reference->forget();
        idle() = std::move(references_);
    }

  private:
    using References = std::vector<std::unique_ptr<Remembered<Reference>>>;

    static References& idle() {
        thread_local References references;
        return references;
    }
    References references_;
};

}  // namespace assay
