// Python bindings of assay-mini: tokens, scores and similarities of texts, on several cores.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>

#include "../arrays.hpp"
#include "../processor.hpp"
#include "cache.hpp"
#include "model.hpp"

namespace assay {

namespace mini {

namespace {

constexpr size_t REQUESTS = 192;          // processed together: their encodings stay in memory independently of the cache
constexpr size_t LETTERS = 40'000;         // largest total length of their texts, since an encoding takes 4 kB per token
constexpr size_t ROWS = 180;              // tokens per matrix product
constexpr size_t WORKERS = 3 * REQUESTS;  // more would be idle
constexpr size_t CACHE = size_t{128} << 20;

const Ops& choose(const std::string& name) {
    for (const Ops* const* ops = available(); *ops; ++ops)
        if (name.empty() || name == (*ops)->name) return **ops;
    throw nb::value_error((name + " is no kind of processor that assay-mini knows and that this machine has").c_str());
}

// Call work(i, room) for every i on several threads; the first error is thrown when all threads have stopped.
template <class Work>
void spread(size_t count, std::vector<Workspace>& rooms, const Work& work) {
    std::atomic<size_t> next{0};
    std::exception_ptr error;
    std::mutex guard;
    const auto stop = [&] {
        const std::lock_guard lock(guard);
        if (!error) error = std::current_exception();
        next = count;
    };
    const auto loop = [&](Workspace& room) {
        try {
            for (size_t i; (i = next.fetch_add(1)) < count;) work(i, room);
        } catch (...) {
            stop();
        }
    };
    std::vector<std::thread> threads;
    try {
        threads.reserve(rooms.size());
        while (threads.size() + 1 < std::min(rooms.size(), count)) threads.emplace_back(loop, std::ref(rooms[threads.size() + 1]));
    } catch (const std::system_error&) {  // no more threads are available: continue with the existing ones
    } catch (...) {
        stop();
    }
    loop(rooms[0]);
    for (std::thread& thread : threads) thread.join();
    if (error) std::rethrow_exception(error);
}

bool blank(const Text& text) {
    for (size_t i = 0; i < text.size; ++i)
        if (!is_space(text[i])) return false;
    return true;
}

struct Wanted {
    Text text;
    Kind kind;
    std::string key;
    Shared encoding;
    bool made = false;
};

}  // namespace

class Mini {
  public:
    Mini(nb::dict tensors, const char* processor)
        : tensors_(std::move(tensors)),
          ops_(choose(processor)),
          tokenizer_(tokenizer(tensors_)),
          encoder_(tensors_, ops_, tokenizer_.size()),
          head_(tensors_, ops_, encoder_.width()),
          cache_(CACHE) {}

    const char* processor() const { return ops_.name; }

    nb::tuple pieces(nb::sequence texts) {
        const Column column(texts, "texts");
        std::vector<Cut> cuts(column.size());
        {
            const nb::gil_scoped_release unlocked;
            Tokenizer::Room room;
            for (size_t i = 0; i < column.size(); ++i)
                if (column[i]) cuts[i] = tokenizer_(column[i], room);
        }
        size_t total = 0;
        for (const Cut& cut : cuts) total += cut.pieces.size();
        Buffer<int32_t> ids(total), begins(total), ends(total), unknown(cuts.size()), characters(cuts.size()),
            foreign(cuts.size());
        Buffer<int64_t> starts(cuts.size() + 1);
        for (size_t i = 0, at = 0; i < cuts.size(); ++i) {
            for (const Piece& piece : cuts[i].pieces) {
                ids[at] = piece.id, begins[at] = piece.begin, ends[at] = piece.end;
                ++at;
            }
            starts[i + 1] = static_cast<int64_t>(at);
            unknown[i] = cuts[i].unknown, characters[i] = cuts[i].characters, foreign[i] = cuts[i].foreign;
        }
        return nb::make_tuple(ids.vector(), starts.vector(), begins.vector(), ends.vector(), unknown.vector(),
                              characters.vector(), foreign.vector());
    }

    nb::tuple score(nb::sequence hypotheses, nb::object references, nb::object sources, bool precise, size_t workers) {
        const Column mine(hypotheses, "hypotheses");
        const std::vector<Column> others[2] = {optional(references, "references", mine.size()),
                                               optional(sources, "sources", mine.size())};
        const size_t n = mine.size();
        Buffer<float> values(n * VALUES);
        Buffer<uint8_t> cut(n);
        std::vector<std::vector<float>> tags(n);
        std::vector<std::vector<Piece>> spans(n);
        {
            const nb::gil_scoped_release unlocked;
            const std::lock_guard lock(guard_);
            std::vector<Workspace> rooms(std::clamp<size_t>(workers, 1, WORKERS));
            for (size_t from = 0, to; from < n; from = to) {
                to = block(from, n, [&](size_t i) {
                    size_t letters = mine[i].size;
                    for (const auto& column : others) letters += column.empty() ? 0 : column[0][i].size;
                    return letters;
                });
                std::vector<Wanted> wanted;
                std::vector<Request> requests;
                std::vector<size_t> at[3];
                for (size_t i = from; i < to; ++i) {
                    at[0].push_back(want(mine[i], HYPOTHESIS, precise, wanted));
                    for (size_t k = 0; k < 2; ++k) {
                        const bool given = !others[k].empty() && others[k][0][i] && !blank(others[k][0][i]);
                        at[1 + k].push_back(given ? want(others[k][0][i], k ? SOURCE : REFERENCE, precise, wanted) : NONE);
                    }
                }
                encode(wanted, precise, rooms);
                for (size_t i = from; i < to; ++i) {
                    const size_t j = i - from;
                    const auto get = [&](size_t k) { return at[k][j] == NONE ? nullptr : wanted[at[k][j]].encoding.get(); };
                    const Encoding* const hypothesis = get(0);
                    spans[i] = hypothesis->pieces;
                    tags[i].resize(2 * hypothesis->pieces.size());
                    requests.push_back({hypothesis, {get(1), get(2)}, &values[i * VALUES], tags[i].data()});
                    for (size_t k = 0; k < 3; ++k)
                        if (const Encoding* text = get(k)) cut[i] = static_cast<uint8_t>(cut[i] | text->cut << k);
                }
                const auto groups = grouped(requests.size(), [&](size_t i) { return requests[i].rows(); });
                spread(groups.size() - 1, rooms, [&](size_t g, Workspace& room) {
                    head_({requests.begin() + groups[g], requests.begin() + groups[g + 1]}, precise, room);
                });
            }
        }
        size_t total = 0;
        for (const auto& row : spans) total += row.size();
        Buffer<float> all(2 * total);
        Buffer<int32_t> begins(total), ends(total);
        Buffer<int64_t> starts(n + 1);
        for (size_t i = 0, k = 0; i < n; ++i) {
            for (size_t p = 0; p < spans[i].size(); ++p, ++k) {
                all[2 * k] = tags[i][2 * p], all[2 * k + 1] = tags[i][2 * p + 1];
                begins[k] = spans[i][p].begin, ends[k] = spans[i][p].end;
            }
            starts[i + 1] = static_cast<int64_t>(k);
        }
        return nb::make_tuple(values.matrix(VALUES), all.matrix(2), starts.vector(), begins.vector(), ends.vector(),
                              cut.vector());
    }

    Matrix<float> match(nb::sequence hypotheses, nb::sequence others, size_t kind, size_t depth, bool precise, size_t workers) {
        const Column mine(hypotheses, "hypotheses"), theirs(others, "others");
        if (theirs.size() != mine.size()) throw nb::value_error("there must be as many others as hypotheses");
        if (kind != REFERENCE && kind != SOURCE) throw nb::value_error("kind is 1 (references) or 2 (sources)");
        if (depth >= VIEWS) throw nb::value_error("depth is 0 to 4");
        constexpr size_t columns = 5;
        Buffer<float> out(mine.size() * columns);
        {
            const nb::gil_scoped_release unlocked;
            const std::lock_guard lock(guard_);
            std::vector<Workspace> rooms(std::clamp<size_t>(workers, 1, WORKERS));
            for (size_t from = 0, to; from < mine.size(); from = to) {
                to = block(from, mine.size(), [&](size_t i) { return mine[i].size + theirs[i].size; });
                std::vector<Wanted> wanted;
                std::vector<size_t> a, b;
                for (size_t i = from; i < to; ++i) {
                    a.push_back(want(mine[i], HYPOTHESIS, precise, wanted));
                    b.push_back(want(theirs[i], static_cast<Kind>(kind), precise, wanted));
                }
                encode(wanted, precise, rooms);
                for (size_t i = from; i < to; ++i)
                    head_.match(*wanted[a[i - from]].encoding, *wanted[b[i - from]].encoding, depth, &out[i * columns],
                                rooms[0]);
            }
        }
        return out.matrix(columns);
    }

  private:
    static constexpr size_t NONE = static_cast<size_t>(-1);

    static Tokenizer tokenizer(const Tensors& tensors) {
        const size_t pieces = tensors.length("scores"), norms = tensors.length("norm_from");
        const size_t text = tensors.length("text"), norm_to = tensors.length("norm_to");
        if (pieces <= UNKNOWN) throw nb::value_error("the vocabulary has too few pieces");
        const auto* starts = tensors.data<uint32_t>("starts", {pieces + 1});
        const auto* norm_starts = tensors.data<uint32_t>("norm_starts", {norms + 1});
        const auto cuts = [](const uint32_t* x, size_t n, size_t end) {
            return x[0] == 0 && x[n] == end && std::is_sorted(x, x + n + 1);
        };
        if (!cuts(starts, pieces, text)) throw nb::value_error("the pieces' starts do not fit their text");
        if (!cuts(norm_starts, norms, norm_to)) throw nb::value_error("norm_starts does not fit norm_to");
        const auto *from = tensors.data<uint32_t>("norm_from", {norms}), *to = tensors.data<uint32_t>("norm_to", {norm_to});
        if (std::adjacent_find(from, from + norms, std::greater_equal<>()) != from + norms)
            throw nb::value_error("the characters of norm_from are not in order");
        if (std::any_of(to, to + norm_to, [](uint32_t c) { return c > LAST; }))
            throw nb::value_error("norm_to holds numbers that are no characters");
        return Tokenizer(tensors.data<uint8_t>("text", {text}), starts, tensors.floats("scores", {pieces}).data(),
                         tensors.data<uint8_t>("trained", {pieces}), pieces, from, norm_starts, to, norms,
                         tensors.floats("unk_score", {1})[0]);
    }

    static std::vector<Column> optional(nb::object given, const char* name, size_t rows) {
        std::vector<Column> out;
        if (given.is_none()) return out;
        out.emplace_back(given, name);
        if (out[0].size() != rows) throw nb::value_error("every column must be as long as the hypotheses");
        return out;
    }

    // The end of the block of requests that begins at `from`; at least one request.
    template <class Size>
    static size_t block(size_t from, size_t n, const Size& letters) {
        size_t to = from, total = 0;
        do total += letters(to++);
        while (to < n && to - from < REQUESTS && total + letters(to) <= LETTERS);
        return to;
    }

    // The index of a text among those of the current block.
    static size_t want(const Text& text, Kind kind, bool precise, std::vector<Wanted>& wanted) {
        static const Text nothing{nullptr, "", 0, 1};
        const Text& here = text ? text : nothing;
        for (size_t i = wanted.size(); i-- > 0 && wanted.size() - i <= 6;)  // rows with the same source are adjacent
            if (wanted[i].kind == kind && wanted[i].text.size == here.size && wanted[i].text.kind == here.kind &&
                std::memcmp(wanted[i].text.data, here.data, here.size * static_cast<size_t>(here.kind)) == 0)
                return i;
        wanted.push_back({here, kind, Cache::key(here, kind, precise), nullptr});
        return wanted.size() - 1;
    }

    // Groups of consecutive items with about ROWS rows in total.
    template <class Size>
    static std::vector<size_t> grouped(size_t n, const Size& size) {
        std::vector<size_t> starts(1, 0);
        size_t rows = 0;
        for (size_t i = 0; i < n; ++i) {
            rows += size(i);
            if (rows >= ROWS || i + 1 == n) starts.push_back(i + 1), rows = 0;
        }
        return starts;
    }

    // Look up cached encodings, compute the missing ones and cache them.
    void encode(std::vector<Wanted>& wanted, bool precise, std::vector<Workspace>& rooms) {
        std::unordered_map<std::string, size_t> first;
        std::vector<size_t> missing;
        for (size_t i = 0; i < wanted.size(); ++i) {
            if ((wanted[i].encoding = cache_.find(wanted[i].key))) continue;
            const auto [place, is_new] = first.emplace(wanted[i].key, i);
            if (is_new) {
                wanted[i].encoding = std::make_shared<Encoding>();
                wanted[i].made = true;
                missing.push_back(i);
            } else {
                wanted[i].encoding = wanted[place->second].encoding;
            }
        }
        spread(missing.size(), rooms, [&](size_t m, Workspace& room) {
            const Wanted& text = wanted[missing[m]];
            Cut cut = tokenizer_(text.text, room.tokenizer);
            text.encoding->cut = cut.pieces.size() > encoder_.window();
            if (text.encoding->cut) cut.pieces.resize(encoder_.window());
            std::vector<int32_t> ids;
            for (const Piece& piece : cut.pieces) ids.push_back(piece.id);
            text.encoding->letters.emplace(tokenizer_, std::move(ids));
            text.encoding->pieces = std::move(cut.pieces);
        });
        const auto groups = grouped(missing.size(), [&](size_t i) { return wanted[missing[i]].encoding->pieces.size() + 2; });
        spread(groups.size() - 1, rooms, [&](size_t g, Workspace& room) {
            std::vector<Encoding*> texts;
            std::vector<Kind> kinds;
            for (size_t m = groups[g]; m < groups[g + 1]; ++m) {
                texts.push_back(wanted[missing[m]].encoding.get());
                kinds.push_back(wanted[missing[m]].kind);
            }
            encoder_(texts, kinds, precise, room);
        });
        for (const size_t i : missing) cache_.put(wanted[i].key, wanted[i].encoding);
    }

    const Tensors tensors_;  // owns the embeddings' memory
    const Ops& ops_;
    const Tokenizer tokenizer_;
    const Encoder encoder_;
    const Head head_;
    std::mutex guard_;  // one call at a time: a call uses several cores itself
    Cache cache_;
};

const Ops* const* available() {
    static const Ops* found[4] = {};
    static std::once_flag once;
    std::call_once(once, [] {
        size_t n = 0;
#if defined(__x86_64__)
        if (Processor::here().avx512) found[n++] = &avx512_ops();
        if (Processor::here().avx2) found[n++] = &avx2_ops();
#endif
        found[n] = &generic_ops();
    });
    return found;
}

}  // namespace mini

void bind_mini(nb::module_& m) {
    nb::class_<mini::Mini>(m, "Mini")
        .def(nb::init<nb::dict, const char*>(), nb::arg("tensors"), nb::arg("processor") = "")
        .def_prop_ro("processor", &mini::Mini::processor)
        .def("pieces", &mini::Mini::pieces, nb::arg("texts"))
        .def("score", &mini::Mini::score, nb::arg("hypotheses"), nb::arg("references").none(), nb::arg("sources").none(),
             nb::arg("precise"), nb::arg("workers"))
        .def("match", &mini::Mini::match, nb::arg("hypotheses"), nb::arg("others"), nb::arg("kind"), nb::arg("depth"),
             nb::arg("precise"), nb::arg("workers"));
}

}  // namespace assay
