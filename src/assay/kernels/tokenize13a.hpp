// mteval-v13a tokenization as sacrebleu's BLEU applies it, in one pass. The specification is reference/bleu.py.
//
// The original is a sequence of four regular expressions. Their combined effect is local:
// - whitespace separates tokens; a mark of the first expression is a separate token;
// - a dash directly after a digit is a separate token;
// - in a run of periods and commas, each is a separate token. The exception is the last one if a digit follows the run,
//   and the run has odd length after a digit or even length after anything else (the expressions consume two characters
//   at a time). It stays with the following digit, and in a run of one also with the preceding digit, as in 1,000.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace assay {

class Tokenizer13a {
  public:
    // Write the prepared text to `buffer` and append the tokens to `tokens`.
    static void run(const Text& text, std::vector<Char>& buffer, std::vector<Slice>& tokens) {
        buffer.clear();
        text.append_to(buffer);
        while (!buffer.empty() && is_space(buffer.back())) buffer.pop_back();
        bool special = false;
        for (Char c : buffer) special |= (c == '&') | (c == '<') | (c == '\n');
        if (special) unescape(buffer);
        cut(buffer, tokens);
    }

  private:
    enum Kind : uint8_t { word, space, mark, dash, stop };

    static constexpr std::array<uint8_t, 128> kinds = [] {
        std::array<uint8_t, 128> out{};
        for (Char c = 0; c < 128; ++c) {
            const bool marked = (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= '!' && c <= '&') ||
                                (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
            out[c] = c == '.' || c == ',' ? stop : c == '-' ? dash : marked ? mark : is_space(c) ? space : word;
        }
        return out;
    }();

    static Kind kind(Char c) {
        if (c < 128) return static_cast<Kind>(kinds[c]);
        return is_space(c) ? space : word;
    }
    static bool is_digit(Char c) { return c >= '0' && c <= '9'; }

    static void cut(const std::vector<Char>& text, std::vector<Slice>& tokens) {
        const auto n = static_cast<uint32_t>(text.size());
        uint32_t start = 0, i = 0;  // the word being read is [start, i)
        const auto push = [&](uint32_t begin, uint32_t end) {
            if (end > begin) tokens.push_back({begin, end});
        };
        while (i < n) {
            const Kind here = kind(text[i]);
            if (here == word || (here == dash && !(i > 0 && is_digit(text[i - 1])))) {
                ++i;
            } else if (here != stop) {
                push(start, i);
                if (here != space) push(i, i + 1);
                start = ++i;
            } else {
                uint32_t end = i + 1;
                while (end < n && kind(text[end]) == stop) ++end;
                const bool behind_digit = i > 0 && is_digit(text[i - 1]);
                const bool odd = (end - i) % 2 == 1;
                const bool joins = end < n && is_digit(text[end]) && behind_digit == odd;
                if (!(joins && end - i == 1)) {
                    push(start, i);
                    start = joins ? end - 1 : end;
                    for (; i < start; ++i) push(i, i + 1);
                }
                i = end;
            }
        }
        push(start, n);
    }

    // The language-independent part: some markup is removed, line ends become spaces, four entities are resolved.
    static void unescape(std::vector<Char>& text) {
        replace(text, "<skipped>", {});
        replace(text, "-\n", {});
        replace(text, "\n", " ");
        replace(text, "&quot;", "\"");
        replace(text, "&amp;", "&");
        replace(text, "&lt;", "<");
        replace(text, "&gt;", ">");
    }
    static void replace(std::vector<Char>& text, std::string_view old, std::string_view by) {
        size_t to = 0;
        for (size_t from = 0; from < text.size();) {
            if (from + old.size() <= text.size() && std::equal(old.begin(), old.end(), text.begin() + from)) {
                for (char c : by) text[to++] = static_cast<Char>(c);
                from += old.size();
            } else {
                text[to++] = text[from++];
            }
        }
        text.resize(to);
    }
};

}  // namespace assay
