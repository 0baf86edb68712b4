"""The repositories of a WORKSPACE build on Debian packages."""

_OVERLAYS = {
    "com_github_google_benchmark": "com_github_google_benchmark",
    "com_github_grpc_grpc": "com_github_grpc_grpc",
    "com_google_absl": "com_google_absl",
    "com_google_googletest": "com_google_googletest",
    "com_google_protobuf": "com_google_protobuf",
    "nlohmann_json": "nlohmann_json",
    "prometheus-cpp": "prometheus-cpp",
    "remote_coverage_tools": "remote_coverage_tools",
    # rules_cc of Debian 12 does not load; this has the part of it that is used here.
    "rules_cc": "rules_cc",
    "system_pkg_config": "pkg_config",
}

# Those that Debian 12 does not have are never asked for by its Bazel 4.
_DEBIAN = {
    "bazel_features": "tools/features",
    "bazel_skylib": "tools/skylib",
    "platforms": "tools/platforms",
    "rules_java": "rules/java",
    "rules_license": "rules/license",
    "rules_proto": "rules/proto",
    "rules_python": "rules/python",
}

def system_repositories(retrykit = "."):
    """Declares all of them.

    Args:
      retrykit: path of this repository, relative to the WORKSPACE that calls.
    """
    for name, path in _OVERLAYS.items():
        native.local_repository(name = name, path = "%s/bazel/system/%s" % (retrykit, path))
    for name, path in _DEBIAN.items():
        native.local_repository(name = name, path = "/usr/share/bazel/" + path)
