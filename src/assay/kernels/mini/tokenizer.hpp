// Tokenizer: the best path of a unigram model (Kudo 2018) over normalized characters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "../text.hpp"

namespace assay::mini {

constexpr int32_t START = 0, END = 2, UNKNOWN = 3;
constexpr Char LAST = 0x10FFFF;  // the largest code point
constexpr Char BLANK = 0x2581;  // the whitespace mark inside a token

struct Piece {
    int32_t id;
    int32_t begin, end;  // characters of the text
};

// A tokenized text, and how much of it the vocabulary covers.
struct Cut {
    std::vector<Piece> pieces;
    int32_t characters = 0;  // without whitespace
    int32_t unknown = 0;     // of these, in no token
    int32_t foreign = 0;     // of these, unknown or in tokens that did not occur in training
};

class Tokenizer {
  public:
    Tokenizer(const uint8_t* text, const uint32_t* starts, const float* scores, const uint8_t* trained, size_t pieces,
              const uint32_t* norm_from, const uint32_t* norm_starts, const uint32_t* norm_to, size_t norms, float unknown)
        : scores_(scores, scores + pieces),
          trained_(trained, trained + pieces),
          norm_from_(norm_from, norm_from + norms),
          norm_starts_(norm_starts, norm_starts + norms + 1),
          norm_to_(norm_to, norm_to + norm_starts[norms]),
          unknown_(unknown),
          piece_starts_(1, 0) {
        size_t letters = 0;
        for (size_t i = 0; i < starts[pieces]; ++i) letters += (text[i] & 0xC0) != 0x80;
        size_t slots = 1024;
        while (slots < 2 * letters) slots *= 2;
        edges_.assign(slots, Edge{});
        leaves_.assign(1, -1);
        for (size_t i = 0; i < pieces; ++i) {
            decode(text + starts[i], text + starts[i + 1]);
            piece_starts_.push_back(static_cast<uint32_t>(characters_.size()));
            if (i > UNKNOWN) insert(static_cast<int32_t>(i));
        }
    }

    size_t size() const { return scores_.size(); }

    // The characters of a token with whitespace marks; empty for the four special tokens.
    const Char* begin(int32_t id) const { return characters_.data() + (id > UNKNOWN ? piece_starts_[id] : 0); }
    const Char* end(int32_t id) const { return characters_.data() + (id > UNKNOWN ? piece_starts_[id + 1] : 0); }

    // Tokenize a text; the buffers in `room` are reused.
    struct Room {
        std::vector<Char> characters;
        std::vector<int32_t> places;
        std::vector<double> best;
        std::vector<Piece> back;
    };
    Cut operator()(const Text& text, Room& room) const {
        normalise(text, room);
        const auto& s = room.characters;
        const size_t n = s.size();
        room.best.assign(n + 1, -std::numeric_limits<double>::infinity());
        room.back.assign(n + 1, Piece{});
        room.best[0] = 0.0;
        for (size_t i = 0; i < n; ++i) {
            bool single = false;
            int32_t node = 0;
            for (size_t j = i; j < n; ++j) {
                node = next(node, s[j]);
                if (node < 0) break;
                const int32_t id = leaves_[node];
                if (id < 0) continue;
                single |= j == i;
                offer(room, i, j + 1, room.best[i] + scores_[id], id);
            }
            if (!single) offer(room, i, i + 1, room.best[i] + unknown_, UNKNOWN);
        }
        return trace(text, room);
    }

  private:
    struct Edge {
        uint64_t key = 0;  // node and character, plus one; nothing: 0
        int32_t to = -1;
    };

    static void offer(Room& room, size_t from, size_t to, double value, int32_t id) {
        if (value > room.best[to]) {
            room.best[to] = value;
            room.back[to] = {id, static_cast<int32_t>(from), static_cast<int32_t>(to)};
        }
    }

    Cut trace(const Text& text, const Room& room) const {
        Cut cut;
        const auto& s = room.characters;
        for (auto at = static_cast<int32_t>(s.size()); at;) {
            const Piece step = room.back[at];
            for (int32_t k = step.begin; k < step.end; ++k) {
                if (s[k] == BLANK) continue;
                ++cut.characters;
                cut.unknown += step.id == UNKNOWN;
                cut.foreign += step.id == UNKNOWN || !trained_[step.id];
            }
            if (step.id == UNKNOWN && !cut.pieces.empty() && cut.pieces.back().id == UNKNOWN)
                cut.pieces.back().begin = step.begin;  // adjacent unknown characters are one token
            else
                cut.pieces.push_back(step);
            at = step.begin;
        }
        std::reverse(cut.pieces.begin(), cut.pieces.end());
        for (Piece& piece : cut.pieces) {
            int32_t begin = room.places[piece.begin];
            const int32_t end = room.places[piece.end - 1] + 1;
            while (begin < end && is_space(text[begin])) ++begin;
            piece.begin = begin, piece.end = end;
        }
        return cut;
    }

    // Normalized characters with their offsets in the text; runs of whitespace become one mark, and one mark comes first.
    void normalise(const Text& text, Room& room) const {
        auto& out = room.characters;
        auto& places = room.places;
        out.clear(), places.clear();
        bool after_blank = false;
        const auto put = [&](Char c, size_t i) {
            const bool blank = c == ' ';
            if (blank && after_blank) return;
            after_blank = blank;
            if (blank) c = BLANK;
            if (out.empty() && c != BLANK) out.push_back(BLANK), places.push_back(0);
            out.push_back(c), places.push_back(static_cast<int32_t>(i));
        };
        for (size_t i = 0; i < text.size; ++i) {
            const Char c = text[i];
            const auto found = std::lower_bound(norm_from_.begin(), norm_from_.end(), c);
            if (found == norm_from_.end() || *found != c) {
                put(c, i);
                continue;
            }
            const size_t at = found - norm_from_.begin();
            for (uint32_t k = norm_starts_[at]; k < norm_starts_[at + 1]; ++k) put(norm_to_[k], i);
        }
        if (std::max(text.size, out.size()) > std::numeric_limits<int32_t>::max())
            throw std::length_error("a text has more than two thousand million characters");
    }

    // UTF-8 as Python decodes it: no overlong forms, no surrogates, nothing beyond the last code point.
    void decode(const uint8_t* from, const uint8_t* to) {
        constexpr Char least[] = {0, 0x80, 0x800, 0x10000};
        while (from < to) {
            const uint8_t lead = *from++;
            const int more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
            Char c = more == 0 ? lead : lead & (0x3Fu >> more);
            bool good = (lead < 0x80 || lead >= 0xC0) && lead < 0xF8 && to - from >= more;
            for (int k = 0; good && k < more; ++k) {
                good = (*from & 0xC0) == 0x80;
                c = c << 6 | (*from++ & 0x3Fu);
            }
            if (!good || c < least[more] || c > LAST || (c >= 0xD800 && c < 0xE000))
                throw std::invalid_argument("a piece of the vocabulary is not UTF-8");
            characters_.push_back(c);
        }
    }

    static uint64_t key_of(int32_t node, Char c) { return (static_cast<uint64_t>(node) << 21 | c) + 1; }

    size_t slot(uint64_t key) const {
        uint64_t h = key * 0x9E3779B97F4A7C15ULL;
        h ^= h >> 32;
        size_t at = h & (edges_.size() - 1);
        while (edges_[at].key && edges_[at].key != key) at = (at + 1) & (edges_.size() - 1);
        return at;
    }

    int32_t next(int32_t node, Char c) const { return edges_[slot(key_of(node, c))].to; }

    void insert(int32_t id) {
        int32_t node = 0;
        for (uint32_t k = piece_starts_[id]; k < piece_starts_[id + 1]; ++k) {
            Edge& edge = edges_[slot(key_of(node, characters_[k]))];
            if (!edge.key) {
                leaves_.push_back(-1);
                edge = {key_of(node, characters_[k]), static_cast<int32_t>(leaves_.size()) - 1};
            }
            node = edge.to;
        }
        if (node) leaves_[node] = id;
    }

    std::vector<float> scores_;
    std::vector<uint8_t> trained_;
    std::vector<uint32_t> norm_from_, norm_starts_, norm_to_;
    double unknown_;
    std::vector<uint32_t> piece_starts_;
    std::vector<Char> characters_;
    std::vector<Edge> edges_;
    std::vector<int32_t> leaves_;
};

}  // namespace assay::mini
