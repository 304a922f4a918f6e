// One step of the bit-parallel Levenshtein matrix (Myers 1999, in Hyyrö's 2003 form).
//
// A machine word holds 64 rows of the matrix (64 symbols of the reference) as differences between neighbours. A step
// advances them by one symbol of the hypothesis. The change at the border between two blocks of rows is +1, 0 or -1.
#pragma once

#include <cstdint>

namespace assay {

struct Step {
    uint64_t zero;  // bit j: D[i][j] == D[i-1][j-1], no cost on the diagonal
    uint64_t plus;  // bit j: D[i][j] == D[i-1][j] + 1
    uint64_t minus; // bit j: D[i][j] == D[i-1][j] - 1
};

// Advance a block whose differences along the reference are `up` (+1) and `down` (-1). `in_plus` and `in_minus` (0 or 1)
// describe how the row above the block changes in this step.
inline Step advance(uint64_t& up, uint64_t& down, uint64_t equal, uint64_t in_plus, uint64_t in_minus) {
    const uint64_t match = equal | in_minus;
    const uint64_t zero = (((match & up) + up) ^ up) | match | down;
    const uint64_t plus = down | ~(zero | up), minus = zero & up;
    const uint64_t plus_below = (plus << 1) | in_plus, minus_below = (minus << 1) | in_minus;
    up = minus_below | ~(zero | plus_below);
    down = plus_below & zero;
    return {zero, plus, minus};
}

}  // namespace assay
