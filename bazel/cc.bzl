"""The C++ rules of this project: the usual ones with our warnings and what our tests need.

    load("//bazel:cc.bzl", "retrykit_cc_library", "retrykit_cc_test")

Generated code (cc_proto_library, cc_grpc_library) is not built with these, so our warnings never
reach it. In a build of somebody else's repository they are off.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

_WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Wconversion",
    "-Werror",
    # The newest gRPC, Protobuf and Abseil deprecate what the oldest still need.
    "-Wno-error=deprecated-declarations",
]

# These come and go with GCC's version and optimisation level, and with the sanitizers.
_GCC_WARNINGS = [
    "-Wno-error=array-bounds",
    "-Wno-error=free-nonheap-object",
    "-Wno-error=maybe-uninitialized",
    "-Wno-error=restrict",
    "-Wno-error=stringop-overflow",
]

_CLANG_WARNINGS = ["-Wthread-safety"]

# str(Label()): a repository that loads this file from outside must find our settings, not its own.
_COPTS = select({
    str(Label("//bazel:own_build_with_clang")): _WARNINGS + _CLANG_WARNINGS,
    str(Label("//bazel:own_build")): _WARNINGS + _GCC_WARNINGS,
    "//conditions:default": [],
})

# Works where the toolchain has it (Clang), ignored elsewhere (GCC).
_FEATURES = ["layering_check"]

# Rooms without gRPC: ThreadSanitizer sees all that their tests do, so nothing is overlooked there.
_RACE_FREE = ["tests/core", "tests/policy", "tests/engine"]

def _test_deps(race_free):
    deps = [str(Label("//tests:sanitizer_defaults"))]
    if not race_free and native.package_name() not in _RACE_FREE:
        deps.append(str(Label("//tests:race_suppressions")))
    return deps

# Statically linked: the linker leaves out a system library (--as-needed) that only our own shared
# libraries refer to, and not the test itself.
def _cc_test(linkstatic = True, **kwargs):
    cc_test(linkstatic = linkstatic, **kwargs)

def retrykit_cc_library(name, copts = [], features = [], **kwargs):
    cc_library(
        name = name,
        copts = _COPTS + copts,
        features = _FEATURES + features,
        **kwargs
    )

def retrykit_cc_binary(name, copts = [], features = [], **kwargs):
    cc_binary(
        name = name,
        copts = _COPTS + copts,
        features = _FEATURES + features,
        **kwargs
    )

def retrykit_cc_test(name, deps = [], copts = [], features = [], size = "small", race_free = False, **kwargs):
    """A GoogleTest test: gtest, gmock, their main and the sanitizers' defaults are added.

    Tag it "no-tsan" if ThreadSanitizer cannot run it (--config=tsan leaves such tests out).

    Args:
      name: target name.
      deps: as usual.
      copts: as usual.
      features: as usual.
      size: as usual.
      race_free: nothing of gRPC is in it, so ThreadSanitizer overlooks nothing; what the tests of
        core, policy and engine always are.
      **kwargs: passed on to cc_test.
    """
    _cc_test(
        name = name,
        size = size,
        copts = _COPTS + copts,
        features = _FEATURES + features,
        deps = deps + _test_deps(race_free) + ["@com_google_googletest//:gtest_main"],
        **kwargs
    )

def retrykit_fuzz_test(name, deps = [], copts = [], features = [], size = "small", corpus = None, runs = 20000, race_free = False, data = [], args = [], tags = [], **kwargs):
    """A fuzz target: one source with LLVMFuzzerTestOneInput, in two uses.

    Ordinarily it is a test with a fixed seed: every file of the corpus, then `runs` random inputs.
    With --config=fuzz (Clang) it is a libFuzzer program:

        bazel test --config=fuzz --test_arg=-max_total_time=60 //tests/...
        bazel run --config=fuzz //tests/fuzz:NAME -- -max_total_time=600 /tmp/found

    Args:
      name: target name.
      deps: as usual.
      copts: as usual.
      features: as usual.
      size: as usual.
      corpus: a folder of this package with starting inputs, or None.
      runs: random inputs of the ordinary test.
      race_free: as for retrykit_cc_test.
      data: as usual.
      args: as usual.
      tags: as usual; "fuzz" is added, by which --config=fuzz finds these tests.
      **kwargs: passed on to cc_test.
    """
    if corpus:
        data = data + native.glob([corpus + "/**"])
        args = args + ["%s/%s" % (native.package_name(), corpus)]
    _cc_test(
        name = name,
        size = size,
        args = args + select({
            str(Label("//bazel:fuzzing")): [],
            "//conditions:default": ["--runs=%d" % runs],
        }),
        copts = _COPTS + copts,
        data = data,
        features = _FEATURES + features,
        linkopts = select({
            str(Label("//bazel:fuzzing")): ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        deps = deps + _test_deps(race_free) + select({
            str(Label("//bazel:fuzzing")): [],
            "//conditions:default": [str(Label("//tests:fuzz_main"))],
        }),
        tags = tags + ["fuzz"],
        **kwargs
    )
