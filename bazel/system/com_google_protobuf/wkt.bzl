"""The well-known types, taken from the installed .proto files."""

WELL_KNOWN_PROTOS = {
    "any": [],
    "api": ["source_context", "type"],
    "descriptor": [],
    "duration": [],
    "empty": [],
    "field_mask": [],
    "source_context": [],
    "struct": [],
    "timestamp": [],
    "type": ["any", "source_context"],
    "wrappers": [],
}

def well_known_proto_libraries():
    for name, deps in WELL_KNOWN_PROTOS.items():
        native.genrule(
            name = name + "_proto_file",
            outs = ["google/protobuf/%s.proto" % name],
            cmd = "cp /usr/include/google/protobuf/%s.proto $@" % name,
        )
        native.proto_library(
            name = name + "_proto",
            srcs = ["google/protobuf/%s.proto" % name],
            strip_import_prefix = "",
            visibility = ["//visibility:public"],
            deps = [":%s_proto" % d for d in deps],
        )

def cc_proto_toolchain(name, runtime):
    """A C++ proto toolchain that does not generate the well-known types again.

    libprotobuf already holds them.

    Args:
      name: target name.
      runtime: the libprotobuf target.
    """
    native.proto_lang_toolchain(
        name = name,
        command_line = "--cpp_out=$(OUT)",
        runtime = runtime,
        visibility = ["//visibility:public"],
        blacklisted_protos = [":%s_proto" % p for p in WELL_KNOWN_PROTOS],
    )
