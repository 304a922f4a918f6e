// Requests: the distinct rows of a batch in an order that keeps equal references together, and flags of the texts.
// The specification is reference/requests.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <bit>
#include <numeric>

#include "arrays.hpp"
#include "text.hpp"

namespace assay {
namespace {

uint64_t mix(uint64_t h, uint64_t value) {
    h = (h ^ value) * 0x9E3779B97F4A7C15ull;
    return h ^ (h >> 29);
}

// Python's own hash of the string (not of a subclass), which is cached inside the string. Requires the GIL.
uint64_t hash_of(const Text& text) {
    return text ? static_cast<uint64_t>(PyUnicode_Type.tp_hash(text.object)) : 0x5bd1e995ull;
}

// Number rows by equality of some columns, in order of first appearance.
class Numbering {
  public:
    explicit Numbering(size_t rows) : mask_(std::bit_ceil(rows * 2 + 2) - 1), slots_(mask_ + 1, 0) {}
    template <class Equal>
    uint32_t number(uint64_t hash, uint32_t row, const Equal& equal) {
        size_t at = hash & mask_;
        while (slots_[at] != 0) {
            const uint32_t known = slots_[at] - 1;
            if (hashes_[known] == hash && equal(first_[known], row)) return known;
            at = (at + 1) & mask_;
        }
        first_.push_back(row);
        hashes_.push_back(hash);
        slots_[at] = static_cast<uint32_t>(first_.size());
        return slots_[at] - 1;
    }
    const std::vector<uint32_t>& first() const { return first_; }

  private:
    size_t mask_;
    std::vector<uint32_t> slots_, first_;
    std::vector<uint64_t> hashes_;
};

std::tuple<Vector<int64_t>, Vector<int64_t>> distinct(nb::handle hypotheses, nb::sequence references, nb::sequence others) {
    const Column hyps(hypotheses, "hypotheses");
    const size_t n = hyps.size();
    const std::vector<Column> refs = columns(references, n), more = columns(others, n);
    Numbering groups(n), requests(n);
    std::vector<uint32_t> group_of_request;
    Buffer<int64_t> inverse(n);
    auto same_refs = [&](uint32_t a, uint32_t b) {
        for (const Column& column : refs)
            if (!(column[a] == column[b])) return false;
        return true;
    };
    for (uint32_t i = 0; i < n; ++i) {
        uint64_t h = 0;
        for (const Column& column : refs) h = mix(h, hash_of(column[i]));
        const uint32_t group = groups.number(h, i, same_refs);
        h = mix(h, hash_of(hyps[i]));
        for (const Column& column : more) h = mix(h, hash_of(column[i]));
        const uint32_t request = requests.number(h, i, [&](uint32_t a, uint32_t b) {
            if (!(hyps[a] == hyps[b]) || !same_refs(a, b)) return false;
            for (const Column& column : more)
                if (!(column[a] == column[b])) return false;
            return true;
        });
        if (request == group_of_request.size()) group_of_request.push_back(group);
        inverse[i] = request;
    }
    // Counting sort of the requests by their reference group; stable, so that groups keep the order of first appearance.
    const size_t m = group_of_request.size();
    std::vector<size_t> start(groups.first().size() + 1, 0);
    for (uint32_t group : group_of_request) ++start[group + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    Buffer<int64_t> rows(m);
    std::vector<int64_t> place(m);
    for (size_t request = 0; request < m; ++request) {
        place[request] = static_cast<int64_t>(start[group_of_request[request]]++);
        rows[static_cast<size_t>(place[request])] = requests.first()[request];
    }
    for (size_t i = 0; i < n; ++i) inverse[i] = place[static_cast<size_t>(inverse[i])];
    return {rows.vector(), inverse.vector()};
}

bool blank(const Text& text) {
    for (size_t i = 0; i < text.size; ++i)
        if (!is_space(text[i])) return false;
    return true;
}

// Weighted length of a text: a Hangul syllable counts as two characters, a Han character or kana as three. Blocks are short
// enough for a sum of type T, so that the compiler can vectorize the loop.
template <class T>
size_t weighed(const T* from, size_t size) {
    auto within = [](T c, Char first, Char last) { return static_cast<T>(static_cast<T>(c - first) <= static_cast<T>(last - first)); };
    size_t more = 0;
    for (size_t start = 0; start < size; start += 8192) {
        const size_t end = std::min(size, start + 8192);
        T sum = 0;
        for (size_t i = start; i < end; ++i) {
            const T c = from[i];
            T word = within(c, 0x3040, 0x30FF) | within(c, 0x3400, 0x9FFF) | within(c, 0xF900, 0xFAFF);
            if constexpr (sizeof(T) == 4) word |= within(c, 0x20000, 0x10FFFF);
            sum = static_cast<T>(sum + word + word + within(c, 0xAC00, 0xD7A3));
        }
        more += sum;
    }
    return size + more;
}

size_t weight(const Text& text) {
    if (text.kind == 1) return text.size;
    if (text.kind == 2) return weighed(static_cast<const uint16_t*>(text.data), text.size);
    return weighed(static_cast<const uint32_t*>(text.data), text.size);
}

Vector<uint8_t> describe(nb::handle hypotheses, nb::object sources, nb::sequence references, double ratio, size_t margin) {
    const Column hyps(hypotheses, "hypotheses");
    const size_t n = hyps.size();
    std::vector<Column> srcs;
    if (!sources.is_none()) srcs.emplace_back(sources, "sources");
    if (!srcs.empty() && srcs[0].size() != n) throw nb::value_error("the sources must be as many as the hypotheses");
    const std::vector<Column> refs = columns(references, n);
    Buffer<uint8_t> flags(n);
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < n; ++i) {
            const bool empty = blank(hyps[i]);
            uint8_t flag = empty ? 1 : 0;
            if (!srcs.empty() && !empty && hyps[i] == srcs[0][i]) flag |= 2;
            size_t longest = 0, shortest = SIZE_MAX;
            auto hold_against = [&](const Text& text) {
                const size_t length = weight(text);
                longest = std::max(longest, length), shortest = std::min(shortest, length);
            };
            for (const Column& column : refs)
                if (column[i]) hold_against(column[i]);
            if (shortest == SIZE_MAX && !srcs.empty() && srcs[0][i]) hold_against(srcs[0][i]);
            if (shortest != SIZE_MAX) {
                const size_t mine = weight(hyps[i]);
                auto far = [&](size_t more, size_t less) {
                    return more > less + margin && static_cast<double>(more) > ratio * static_cast<double>(less);
                };
                if (far(mine, longest)) flag |= 4;
                if (!empty && far(shortest, mine)) flag |= 16;
            }
            for (const Column& column : refs)
                if (column[i] && blank(column[i])) flag |= 8;
            flags[i] = flag;
        }
    }
    return flags.vector();
}

}  // namespace

void bind_requests(nb::module_& m) {
    m.def("distinct", &distinct, nb::arg("hypotheses"), nb::arg("references"), nb::arg("others"),
          "(rows, inverse): the first row of every different request, equal references side by side, and for each row the "
          "position of its request in `rows`.");
    m.def("describe", &describe, nb::arg("hypotheses"), nb::arg("sources").none(), nb::arg("references"), nb::arg("ratio"),
          nb::arg("margin"),
          "Bits for each row: 1 empty hypothesis, 2 copied source, 4 far longer than its references (or, without any, its source), "
          "8 empty reference, 16 far shorter.");
}

}  // namespace assay
