// Options that the sanitizers read from the program itself, so that a test
// needs no environment. Unused (and harmless) in a build without a sanitizer.

extern "C" {

// The installed gRPC, Protobuf and Abseil are not instrumented: ThreadSanitizer
// does not see the atomics inside them, so whatever they hand from one thread
// to another looks like a race. The price: a race on a gRPC callback thread is
// not reported either. Code that must be race-free is therefore tested without
// gRPC as well.
__attribute__((used)) const char* __tsan_default_suppressions() {
  return "race:libgrpc.so\n"
         "race:libgrpc++.so\n"
         "race:libgpr.so\n"
         "race:libupb.so\n"
         "race:libprotobuf.so\n"
         "race:libabsl_\n"
         "race:libcares.so\n"
         "race:^grpc::\n";
}

__attribute__((used)) const char* __tsan_default_options() {
  return "second_deadlock_stack=1";
}

__attribute__((used)) const char* __asan_default_options() {
  return "detect_stack_use_after_return=1:check_initialization_order=1:strict_"
         "init_order=1";
}

__attribute__((used)) const char* __ubsan_default_options() {
  return "print_stacktrace=1";
}
}
