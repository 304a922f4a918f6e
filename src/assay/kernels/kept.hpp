// Prepared references that a thread keeps from one call to the next for their memory, never for their texts.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "text.hpp"

namespace assay {

// A reference prepared for comparisons. It is prepared anew only when its text changes; the text is remembered once the
// preparation is whole, so that one that failed half-way is never taken for the real thing.
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

// The references of one call, one a column. They are the calling thread's until `keep` gives them back to it without their
// texts, which may be gone before the next call. Whatever an exception leaves half-made dies with this object.
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
