// Options that the sanitizers read from the program itself, so that a test
// needs no environment. Unused, and harmless, in a build without a sanitizer.

extern "C" {

__attribute__((used)) const char* __tsan_default_options() {
  return "second_deadlock_stack=1";
}

__attribute__((used)) const char* __asan_default_options() {
  return "detect_stack_use_after_return=1:check_initialization_order=1:"
         "strict_init_order=1";
}

__attribute__((used)) const char* __ubsan_default_options() {
  return "print_stacktrace=1";
}

}  // extern "C"
