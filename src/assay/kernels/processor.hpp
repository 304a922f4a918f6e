// Features of the processor, from its own instructions: compilers' functions need a library that not all of them include.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>

#include <cstdint>

namespace assay {

struct Processor {
    bool popcnt = false;
    bool avx2 = false;
    bool avx512 = false;  // with BW, DQ, VL and VNNI

    static const Processor& here() {
        static const Processor found;
        return found;
    }

  private:
    Processor() {
        unsigned eax, ebx, ecx, edx;
        if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return;
        popcnt = ecx & bit_POPCNT;
        // Registers may be used if the operating system saves them on context switches.
        const uint64_t kept = ecx & bit_OSXSAVE ? registers() : 0;
        if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return;
        avx2 = (kept & 0x06) == 0x06 && (ebx & bit_AVX2);
        const unsigned all = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
        avx512 = (kept & 0xE6) == 0xE6 && (ebx & all) == all && (ecx & bit_AVX512VNNI);
    }

    static uint64_t registers() {
        uint32_t low, high;
        __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        return static_cast<uint64_t>(high) << 32 | low;
    }
};

}  // namespace assay
#endif
