// How the sanitizers run, linked into every program that is built with them: it holds for tests,
// for the children they start and under a debugger, whatever the environment. ASAN_OPTIONS and its
// like still add to it.

extern "C" {

// allocator_may_return_null: a request that is too large fails as without the sanitizer, so that
// the tests
//   of "out of memory" see std::bad_alloc, not an abort.
// detect_stack_use_after_return: operations capture by reference only what outlives them; this
// proves it. quarantine_size_mb: freed memory is held back to find later uses of it; 64 MiB instead
// of 256 keep
//   two tests at a time within the memory of a small machine.
// protect_shadow_gap=0: CUDA maps memory there and does not start without it.
const char* __asan_default_options() {
  return "allocator_may_return_null=1:detect_stack_use_after_return=1:strict_string_checks=1:"
         "quarantine_size_mb=64:protect_shadow_gap=0";
}

// halt_on_error: the first race is the cause, what follows is noise.
// second_deadlock_stack: where both locks were taken.
const char* __tsan_default_options() { return "halt_on_error=1:second_deadlock_stack=1"; }

// autograd never joins its threads: at exit one may be just ending, and what the C library keeps
// for it is out of reach already.
const char* __lsan_default_suppressions() { return "leak:pthread_setspecific\n"; }

const char* __ubsan_default_options() { return "print_stacktrace=1"; }
}
