// Allocations that fail when they are told to: linked into the module of the fault-injection test, and into no other.
//
// The linker leads every allocation of the kernels here (--wrap); the test reaches the two functions below by ctypes.
#include <cstddef>
#include <mutex>
#include <new>

namespace {

std::mutex guard;     // kernels with threads of their own allocate in all of them
long left = -1;       // allocations until the next one that fails; negative: none will
bool lasting = false;  // whether all allocations after it fail too
long failed = 0;

bool fails() {
    const std::lock_guard lock(guard);
    if (left < 0) return false;
    if (left > 0) return --left, false;
    ++failed;
    if (!lasting) left = -1;
    return true;
}

}  // namespace

extern "C" {

void* __real_calloc(std::size_t count, std::size_t size);
void* __real__Znwm(std::size_t size);
void* __real__Znam(std::size_t size);

void* __wrap_calloc(std::size_t count, std::size_t size) { return fails() ? nullptr : __real_calloc(count, size); }
void* __wrap__Znwm(std::size_t size) { return fails() ? throw std::bad_alloc() : __real__Znwm(size); }
void* __wrap__Znam(std::size_t size) { return fails() ? throw std::bad_alloc() : __real__Znam(size); }

// Allocation number `n` from now on fails, in whatever thread (from 0), and where `lasting_too` all after it.
__attribute__((visibility("default"))) void assay_arm(long n, int lasting_too) {
    const std::lock_guard lock(guard);
    left = n;
    lasting = lasting_too != 0;
    failed = 0;
}
// No allocation fails any longer; how many did.
__attribute__((visibility("default"))) long assay_disarm() {
    const std::lock_guard lock(guard);
    left = -1;
    return failed;
}
}
