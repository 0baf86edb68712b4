// What ThreadSanitizer must overlook in a test that makes gRPC calls.
//
// The installed gRPC, Protobuf and Abseil are not instrumented: the sanitizer
// does not see the atomics inside them, so whatever they hand from one thread
// to another looks like a race. The price: a race on a gRPC callback thread is
// not reported either. Code that must be race-free is therefore tested without
// gRPC as well, and those tests do not link this (bazel/cc.bzl).

extern "C" __attribute__((used)) const char* __tsan_default_suppressions() {
  return "race:libgrpc.so\n"
         "race:libgrpc++.so\n"
         "race:libgpr.so\n"
         "race:libupb.so\n"
         "race:libprotobuf.so\n"
         "race:libabsl_\n"
         "race:libcares.so\n"
         "race:^grpc::\n";
}
