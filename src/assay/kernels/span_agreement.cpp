// Span agreement: credits of predicted and reference error spans, per segment. The specification is reference/span_agreement.py.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "arrays.hpp"

namespace assay {
namespace {

struct Span {
    int64_t start, end;
    int32_t side, severity;
    int64_t length() const { return end - start; }
};

struct Pair {
    uint32_t i, j;
    double dice, p, r;  // p and r: what the pair adds to the credit of predictions and of references
};

int64_t overlap(const Span& p, const Span& g) {
    return p.side == g.side ? std::max<int64_t>(0, std::min(p.end, g.end) - std::max(p.start, g.start)) : 0;
}

enum class Measure { em, mp, mpp, wmt25 };
enum class Matching { optimal, greedy, many };

// Names of sides and severities as numbers. The last object seen is compared first: almost all strings are shared.
class Names {
  public:
    int32_t id(PyObject* name) {
        for (const auto& [known, number] : recent_)
            if (known == name) return number;
        if (!PyUnicode_Check(name)) throw nb::type_error("a span is (start, end, side, severity): side and severity must be strings.");
        Py_ssize_t size = 0;
        const char* text = PyUnicode_AsUTF8AndSize(name, &size);
        if (!text) throw nb::python_error();
        const auto [entry, added] = ids_.try_emplace(std::string(text, static_cast<size_t>(size)), static_cast<int32_t>(ids_.size()));
        if (added && recent_.size() < 16) {
            recent_.emplace_back(name, entry->second);
            held_.push_back(nb::borrow(name));
        }
        return entry->second;
    }
    const std::unordered_map<std::string, int32_t>& all() const { return ids_; }

  private:
    std::unordered_map<std::string, int32_t> ids_;
    std::vector<std::pair<PyObject*, int32_t>> recent_;
    std::vector<nb::object> held_;
};

struct Collection {
    std::vector<Span> spans;
    std::vector<size_t> ends;
};

// Any sequence as a tuple or list, whose items can be read without a call.
class Items {
  public:
    Items(PyObject* object, const char* what) {
        if (PyTuple_Check(object)) items_ = &PyTuple_GET_ITEM(object, 0), size_ = PyTuple_GET_SIZE(object);
        else {
            PyObject* held = PySequence_Fast(object, what);
            if (!held) throw nb::python_error();
            held_ = nb::steal(held);
            items_ = PySequence_Fast_ITEMS(held), size_ = PySequence_Fast_GET_SIZE(held);
        }
    }
    PyObject* operator[](Py_ssize_t i) const { return items_[i]; }
    Py_ssize_t size() const { return size_; }

  private:
    nb::object held_;
    PyObject** items_;
    Py_ssize_t size_;
};

int64_t integer(PyObject* object) {
    const long long value = PyLong_AsLongLong(object);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    return value;
}

Collection read(nb::handle segments, Names& sides, Names& severities) {
    Collection out;
    const Items outer(segments.ptr(), "spans must be a sequence of segments, each a sequence of spans");
    out.ends.reserve(static_cast<size_t>(outer.size()));
    for (Py_ssize_t k = 0; k < outer.size(); ++k) {
        const Items inner(outer[k], "a segment must be a sequence of spans");
        for (Py_ssize_t s = 0; s < inner.size(); ++s) {
            const Items items(inner[s], "a span must be (start, end, side, severity)");
            if (items.size() != 4)
                throw nb::value_error(("segment " + std::to_string(k + 1) + ": a span must be (start, end, side, severity).").c_str());
            const Span read{integer(items[0]), integer(items[1]), sides.id(items[2]), severities.id(items[3])};
            if (read.start < 0 || read.start >= read.end || read.end > (int64_t{1} << 40))
                throw nb::value_error(("segment " + std::to_string(k + 1) + ": span " + std::to_string(read.start) + " to " +
                                       std::to_string(read.end) + " must start at 0 or later and end after its start.").c_str());
            out.spans.push_back(read);
        }
        out.ends.push_back(out.spans.size());
    }
    return out;
}

// The assignment of greatest total value (values are not negative): the Hungarian method with potentials, O(n^3).
class Assignment {
  public:
    // value(i, j) for i < rows and j < columns; returns the total. `column_of` has the column of each row, or -1.
    template <class Value>
    double solve(size_t rows, size_t columns, Value value) {
        const size_t n = std::max(rows, columns);
        n_ = n;
        constexpr double infinite = std::numeric_limits<double>::infinity();
        cost_.assign(n * n, 0.0);
        for (size_t i = 0; i < rows; ++i)
            for (size_t j = 0; j < columns; ++j) cost_[i * n + j] = -value(i, j);
        u.assign(n + 1, 0.0);
        v.assign(n + 1, 0.0);
        row_.assign(n + 1, 0);
        for (size_t i = 1; i <= n; ++i) {
            row_[0] = i;
            size_t j0 = 0;
            least_.assign(n + 1, infinite);
            used_.assign(n + 1, 0);
            way_.assign(n + 1, 0);
            do {
                used_[j0] = 1;
                const size_t i0 = row_[j0];
                size_t j1 = 0;
                double delta = infinite;
                for (size_t j = 1; j <= n; ++j) {
                    if (used_[j]) continue;
                    const double reduced = cost_[(i0 - 1) * n + j - 1] - u[i0] - v[j];
                    if (reduced < least_[j]) {
                        least_[j] = reduced;
                        way_[j] = j0;
                    }
                    if (least_[j] < delta) {
                        delta = least_[j];
                        j1 = j;
                    }
                }
                for (size_t j = 0; j <= n; ++j) {
                    if (used_[j]) {
                        u[row_[j]] += delta;
                        v[j] -= delta;
                    } else {
                        least_[j] -= delta;
                    }
                }
                j0 = j1;
            } while (row_[j0] != 0);
            do {
                const size_t j1 = way_[j0];
                row_[j0] = row_[j1];
                j0 = j1;
            } while (j0);
        }
        column_of.assign(n, 0);
        double total = 0.0;
        for (size_t j = 1; j <= n; ++j) {
            column_of[row_[j] - 1] = j - 1;
            total -= cost_[(row_[j] - 1) * n + j - 1];
        }
        return total;
    }
    double reduced(size_t i, size_t j) const { return std::max(0.0, cost_[i * n_ + j] - u[i + 1] - v[j + 1]); }
    size_t size() const { return n_; }
    std::vector<size_t> column_of;
    std::vector<double> u, v;

  private:
    size_t n_ = 0;
    std::vector<double> cost_, least_;
    std::vector<size_t> row_, way_;
    std::vector<char> used_;
};

// How many partial matchings one segment may cost. Beyond it the best matching found so far is taken (see Best).
constexpr size_t MOST_NODES = 20'000;
// Up to this many pairs, all matchings are tried: faster than an assignment.
constexpr size_t FEW_PAIRS = 8;

class Segment {
  public:
    Segment(Measure measure, Matching matching, double penalty, const std::vector<double>& weights)
        : measure_(measure), matching_(matching), penalty_(penalty), weights_(weights) {}

    void score(const Span* p, size_t np, const Span* g, size_t ng, double* out) {
        p_ = p, g_ = g, np_ = np, ng_ = ng;
        out[0] = out[2] = 0.0;
        out[1] = total(p, np), out[3] = total(g, ng);
        if (!np || !ng) return;
        if (matching_ == Matching::many) {
            many(out);
        } else {
            find_pairs();
            if (matching_ == Matching::greedy) greedy(out);
            else optimal(out);
        }
    }

  private:
    double reward(const Span& a, const Span& b) const {
        if (!weights_.empty()) return std::min(weight(a), weight(b));
        return a.severity == b.severity ? 1.0 : 1.0 - penalty_;
    }
    double weight(const Span& span) const { return weights_.empty() ? 1.0 : weights_[static_cast<size_t>(span.severity)]; }
    double total(const Span* spans, size_t n) const {
        double sum = 0.0;
        for (size_t i = 0; i < n; ++i) sum += measure_ == Measure::wmt25 ? static_cast<double>(spans[i].length()) : weight(spans[i]);
        return sum;
    }

    void find_pairs() {
        pairs_.clear();
        for (uint32_t i = 0; i < np_; ++i)
            for (uint32_t j = 0; j < ng_; ++j) {
                const int64_t shared = overlap(p_[i], g_[j]);
                if (!shared) continue;
                const double factor = reward(p_[i], g_[j]), a = static_cast<double>(p_[i].length()), b = static_cast<double>(g_[j].length());
                const double common = static_cast<double>(shared);
                Pair pair{i, j, 2 * common / (a + b) * factor, factor, factor};
                if (measure_ == Measure::em && !(p_[i].start == g_[j].start && p_[i].end == g_[j].end)) pair.p = pair.r = 0.0;
                if (measure_ == Measure::wmt25) pair.p = pair.r = common * factor;
                if (measure_ == Measure::mpp) pair.p = common / a * factor, pair.r = common / b * factor;
                pairs_.push_back(pair);
            }
    }

    void greedy(double* out) {
        std::stable_sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) { return a.dice > b.dice; });
        used_p_.assign(np_, 0);
        used_g_.assign(ng_, 0);
        for (const Pair& pair : pairs_) {
            if (pair.dice <= 0 || used_p_[pair.i] || used_g_[pair.j]) continue;
            used_p_[pair.i] = used_g_[pair.j] = 1;
            out[0] += pair.p;
            out[2] += pair.r;
        }
    }

    void optimal(double* out) {
        // Pairs without a rival are always taken; the others are matched among themselves.
        used_p_.assign(np_, 0);
        used_g_.assign(ng_, 0);
        std::erase_if(pairs_, [](const Pair& pair) { return pair.p <= 0 && pair.r <= 0; });
        for (const Pair& pair : pairs_) {
            used_p_[pair.i] += used_p_[pair.i] < 2;
            used_g_[pair.j] += used_g_[pair.j] < 2;
        }
        double x = 0.0, y = 0.0;
        rivals_.clear();
        for (const Pair& pair : pairs_) {
            if (used_p_[pair.i] == 1 && used_g_[pair.j] == 1) x += pair.p, y += pair.r;
            else rivals_.push_back(pair);
        }
        if (!rivals_.empty()) {
            if (measure_ != Measure::mpp || rivals_.size() > FEW_PAIRS) number_rivals();
            if (measure_ == Measure::mpp) best_f(x, y, out[1], out[3]);
            else {
                const double sum = assignment_.solve(rows_, columns_, [&](size_t i, size_t j) { return cell(i, j) ? cell(i, j)->p : 0.0; });
                x += sum, y += sum;
            }
        }
        out[0] = x, out[2] = y;
    }

    // Rows and columns of the spans that have rivals, and the pair in each cell.
    void number_rivals() {
        row_.assign(np_, UINT32_MAX);
        column_.assign(ng_, UINT32_MAX);
        rows_ = columns_ = 0;
        for (const Pair& pair : rivals_) {
            if (row_[pair.i] == UINT32_MAX) row_[pair.i] = static_cast<uint32_t>(rows_++);
            if (column_[pair.j] == UINT32_MAX) column_[pair.j] = static_cast<uint32_t>(columns_++);
        }
        cells_.assign(rows_ * columns_, nullptr);
        for (const Pair& pair : rivals_) cells_[row_[pair.i] * columns_ + column_[pair.j]] = &pair;
    }
    const Pair* cell(size_t i, size_t j) const { return i < rows_ && j < columns_ ? cells_[i * columns_ + j] : nullptr; }

    // The matching with the greatest F = 2PR / (P + R) of the segment, then the greatest P + R, then P.
    //
    // F is concave and homogeneous: for every s in [0, 1], F <= 2 s^2 P + 2 (1 - s)^2 R, with equality at s = R / (P + R). The
    // greatest value of the right side over all matchings is an assignment problem and bounds F. Bisection on s finds the least
    // bound; its assignments are good matchings. A matching whose F is greater must have a right side within the gap between
    // the bound and the best F, so that only pairs of small reduced cost remain, and a search over them is short. It stops at
    // MOST_NODES: no segment is exponential, and only one with very many matchings within the gap may not be the greatest.
    void best_f(double& x, double& y, double total_p, double total_g) {
        base_x_ = x, base_y_ = y, total_p_ = total_p, total_g_ = total_g;
        best_ = {-1.0, -1.0, -1.0, x, y};
        if (rivals_.size() <= FEW_PAIRS) {
            used_p_.assign(np_, 0);
            used_g_.assign(ng_, 0);
            enumerate(0, x, y);
            x = best_.x, y = best_.y;
            return;
        }
        double low = 0.0, high = 1.0, bound = std::numeric_limits<double>::infinity(), at = 0.5;
        for (int step = 0; step < 40 && high - low > 1e-12; ++step) {
            const double s = step == 0 ? tangent() : step == 1 ? best_.y / total_g_ / best_.sum : (low + high) / 2;
            const auto [value, px, py] = solve(s);
            if (value < bound) bound = value, at = s;
            const double slope = s * px - (1 - s) * py;  // a quarter of the bound's derivative
            if (bound - best_.f <= 1e-13 || slope == 0.0) break;
            (slope > 0 ? high : low) = s;
        }
        solve(at);
        allowed_ = bound - best_.f + 1e-11;
        nodes_ = 0;
        taken_.assign(assignment_.size(), 0);
        search(0, x, y, 0.0);
        x = best_.x, y = best_.y;
    }
    // All matchings of a few pairs.
    void enumerate(size_t k, double x, double y) {
        if (k == rivals_.size()) {
            offer(x, y);
            return;
        }
        const Pair& pair = rivals_[k];
        if (!used_p_[pair.i] && !used_g_[pair.j]) {
            used_p_[pair.i] = used_g_[pair.j] = 1;
            enumerate(k + 1, x + pair.p, y + pair.r);
            used_p_[pair.i] = used_g_[pair.j] = 0;
        }
        enumerate(k + 1, x, y);
    }
    double tangent() const {
        double p = base_x_ / total_p_, r = base_y_ / total_g_;
        for (const Pair& pair : rivals_) p += pair.p / total_p_, r += pair.r / total_g_;
        return p + r > 0 ? r / (p + r) : 0.5;
    }
    struct Bound { double value, p, r; };
    Bound solve(double s) {
        const double a = 2 * s * s / total_p_, b = 2 * (1 - s) * (1 - s) / total_g_;
        const double sum = assignment_.solve(rows_, columns_, [&](size_t i, size_t j) {
            const Pair* pair = cell(i, j);
            return pair ? a * pair->p + b * pair->r : 0.0;
        });
        double x = base_x_, y = base_y_;
        for (size_t i = 0; i < rows_; ++i)
            if (const Pair* pair = cell(i, assignment_.column_of[i])) x += pair->p, y += pair->r;
        offer(x, y);
        return {sum + a * base_x_ + b * base_y_, x / total_p_, y / total_g_};
    }
    struct Best { double f, sum, p, x, y; };
    void offer(double x, double y) {
        const double p = x / total_p_, r = y / total_g_, f = p + r > 0 ? 2 * p * r / (p + r) : 0.0;
        constexpr double equal = 1e-12;
        const bool better = f > best_.f + equal ||
                            (f >= best_.f - equal && (p + r > best_.sum + equal || (p + r >= best_.sum - equal && p > best_.p + equal)));
        if (better) best_ = {f, p + r, p, x, y};
    }
    // Rows in order: each takes a column of small reduced cost, or stays free at the least reduced cost of a column without a pair.
    void search(size_t i, double x, double y, double spent) {
        if (nodes_ >= MOST_NODES) return;
        ++nodes_;
        if (i == rows_) {
            offer(x, y);
            return;
        }
        double free = std::numeric_limits<double>::infinity();
        for (size_t j = 0; j < assignment_.size(); ++j) {
            if (taken_[j]) continue;
            const double reduced = assignment_.reduced(i, j);
            const Pair* pair = cell(i, j);
            if (!pair) {
                free = std::min(free, reduced);
            } else if (spent + reduced <= allowed_) {
                taken_[j] = 1;
                search(i + 1, x + pair->p, y + pair->r, spent + reduced);
                taken_[j] = 0;
            }
        }
        if (spent + free <= allowed_) search(i + 1, x, y, spent + free);
    }

    // The start or end of a span: its mass appears or disappears.
    struct Event { int64_t at; int32_t side, which, severity; double change; };

    void many(double* out) {
        if (measure_ == Measure::mp) {
            out[0] = touching(p_, np_, g_, ng_);
            out[2] = touching(g_, ng_, p_, np_);
        } else if (measure_ == Measure::em) {
            out[0] = out[2] = identical();
        } else {
            characters(out);
        }
    }
    double touching(const Span* spans, size_t n, const Span* others, size_t m) const {
        double credit = 0.0;
        for (size_t i = 0; i < n; ++i) {
            bool any = false, same = false;
            for (size_t j = 0; j < m && !same; ++j)
                if (overlap(spans[i], others[j])) any = true, same = spans[i].severity == others[j].severity;
            credit += same ? 1.0 : any ? 1.0 - penalty_ : 0.0;
        }
        return credit;
    }
    double identical() {
        // Equal severities first, then the rest: each span is taken once.
        used_g_.assign(ng_, 0);
        used_p_.assign(np_, 0);
        double credit = 0.0;
        for (const bool same : {true, false})
            for (size_t i = 0; i < np_; ++i)
                for (size_t j = 0; j < ng_ && !used_p_[i]; ++j) {
                    if (used_g_[j] || p_[i].side != g_[j].side || p_[i].start != g_[j].start || p_[i].end != g_[j].end) continue;
                    if (same != (p_[i].severity == g_[j].severity)) continue;
                    used_p_[i] = used_g_[j] = 1;
                    credit += same ? 1.0 : 1.0 - penalty_;
                }
        return credit;
    }
    // Between two neighbouring ends of spans nothing changes: one step for all characters there.
    void characters(double* out) {
        events_.clear();
        for (const int32_t which : {0, 1}) {
            const Span* spans = which ? g_ : p_;
            for (size_t i = 0; i < (which ? ng_ : np_); ++i) {
                events_.push_back({spans[i].start, spans[i].side, which, spans[i].severity, weight(spans[i])});
                events_.push_back({spans[i].end, spans[i].side, which, spans[i].severity, -weight(spans[i])});
            }
        }
        std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) { return std::pair(a.side, a.at) < std::pair(b.side, b.at); });
        steps_.clear();
        counts_.clear();
        for (size_t e = 0; e < events_.size();) {
            const size_t first = e;
            for (; e < events_.size() && events_[e].side == events_[first].side && events_[e].at == events_[first].at; ++e) change(events_[e]);
            if (e < events_.size() && events_[e].side == events_[first].side) step(events_[first], events_[e].at);
            else counts_.clear();
        }
        for (const int which : {0, 1}) {
            const Span* spans = which ? g_ : p_;
            double credit = 0.0;
            for (size_t i = 0; i < (which ? ng_ : np_); ++i) {
                double inside = 0.0;
                for (const Step& s : steps_)
                    if (s.which == which && s.side == spans[i].side && s.severity == spans[i].severity && s.start >= spans[i].start && s.end <= spans[i].end)
                        inside += s.share * static_cast<double>(s.end - s.start);
                credit += measure_ == Measure::wmt25 ? inside : inside / static_cast<double>(spans[i].length()) * weight(spans[i]);
            }
            out[2 * which] = credit;
        }
    }
    struct Count { int32_t severity; double mass[2]; size_t spans[2]; };
    struct Step { int64_t start, end; int32_t side, which, severity; double share; };
    void change(const Event& event) {
        auto count = std::find_if(counts_.begin(), counts_.end(), [&](const Count& c) { return c.severity == event.severity; });
        if (count == counts_.end()) count = counts_.insert(count, Count{event.severity, {0, 0}, {0, 0}});
        count->spans[event.which] += event.change > 0 ? 1 : static_cast<size_t>(-1);
        // Counted anew from the number of spans: masses of closed spans leave no rounding behind.
        count->mass[event.which] = static_cast<double>(count->spans[event.which]) * std::abs(event.change);
    }
    void step(const Event& from, int64_t end) {
        double left[2] = {0, 0};
        for (const Count& c : counts_)
            for (const int w : {0, 1}) left[w] += c.mass[w] - std::min(c.mass[0], c.mass[1]);
        const double mismatch = std::min(left[0], left[1]), factor = weights_.empty() ? 1.0 - penalty_ : 1.0;
        for (const Count& c : counts_)
            for (const int w : {0, 1}) {
                if (!c.spans[w]) continue;
                const double exact = std::min(c.mass[0], c.mass[1]);
                const double part = left[w] > 0 ? mismatch * (c.mass[w] - exact) / left[w] : 0.0;
                steps_.push_back({from.at, end, from.side, w, c.severity, (exact + factor * part) / c.mass[w]});
            }
    }

    const Measure measure_;
    const Matching matching_;
    const double penalty_;
    const std::vector<double>& weights_;
    const Span *p_ = nullptr, *g_ = nullptr;
    size_t np_ = 0, ng_ = 0, rows_ = 0, columns_ = 0, nodes_ = 0;
    double base_x_ = 0, base_y_ = 0, total_p_ = 0, total_g_ = 0, allowed_ = 0;
    Best best_{};
    Assignment assignment_;
    std::vector<Pair> pairs_, rivals_;
    std::vector<const Pair*> cells_;
    std::vector<uint32_t> row_, column_;
    std::vector<char> used_p_, used_g_, taken_;
    std::vector<Event> events_;
    std::vector<Count> counts_;
    std::vector<Step> steps_;
};

// The names come as C strings: nanobind's conversion to std::string may not fail, and a long one allocates.
Matrix<double> span_credits(nb::handle predictions, nb::handle references, const char* measure_name, const char* matching_name,
                            double penalty, nb::dict weights) {
    const std::string_view measure(measure_name), matching(matching_name);
    Names sides, severities;
    const Collection p = read(predictions, sides, severities), g = read(references, sides, severities);
    if (p.ends.size() != g.ends.size()) throw nb::value_error("predictions and references must have the same number of segments.");
    const Measure m = measure == "EM" ? Measure::em : measure == "MP" ? Measure::mp : measure == "MPP" ? Measure::mpp : Measure::wmt25;
    const Matching way = matching == "many_to_many" ? Matching::many : matching == "one_to_one-greedy" ? Matching::greedy : Matching::optimal;
    std::vector<double> by_severity;
    if (weights.size()) {
        by_severity.resize(severities.all().size());
        for (const auto& [name, id] : severities.all()) {
            if (!weights.contains(name.c_str())) throw nb::value_error(("severity '" + name + "' has no weight.").c_str());
            by_severity[static_cast<size_t>(id)] = nb::cast<double>(weights[name.c_str()]);
        }
    }
    Buffer<double> out(4 * p.ends.size());
    {
        nb::gil_scoped_release release;
        Segment segment(m, way, penalty, by_severity);
        for (size_t k = 0; k < p.ends.size(); ++k) {
            const size_t a = k ? p.ends[k - 1] : 0, b = k ? g.ends[k - 1] : 0;
            segment.score(p.spans.data() + a, p.ends[k] - a, g.spans.data() + b, g.ends[k] - b, &out[4 * k]);
        }
    }
    return out.matrix(4);
}

}  // namespace

void bind_span_agreement(nb::module_& m) {
    m.def("span_credits", &span_credits, nb::arg("predictions"), nb::arg("references"), nb::arg("measure"), nb::arg("matching"),
          nb::arg("penalty"), nb::arg("weights"),
          "One row per segment: credit and total of the predicted spans, credit and total of the reference spans.");
}

}  // namespace assay
