// The rooms of the house include one another one way only. First the rules are
// tried on cases and on a small bad tree; then they are asked about the
// repository itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/architecture/include_rules.h"

namespace retrykit {
namespace architecture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Case {
  const char* name;
  const char* path;
  const char* included;
  bool allowed;
};

class MayIncludeTest : public ::testing::TestWithParam<Case> {};

TEST_P(MayIncludeTest, FollowsTheTable) {
  EXPECT_EQ(MayInclude(GetParam().path, GetParam().included),
            GetParam().allowed);
}

INSTANTIATE_TEST_SUITE_P(
    Rooms, MayIncludeTest,
    ::testing::Values(
        Case{"CoreStd", "interceptors/core/clock.h", "chrono", true},
        Case{"CoreAbsl", "interceptors/core/clock.h", "absl/time/time.h", true},
        Case{"CorePolicy", "interceptors/core/clock.h",
             "interceptors/policy/verdict.h", false},
        Case{"CoreGrpc", "interceptors/core/clock.h", "grpcpp/grpcpp.h", false},
        Case{"PolicyCore", "interceptors/policy/verdict.h",
             "interceptors/core/reason.h", true},
        Case{"PolicyProtobuf", "interceptors/policy/verdict.h",
             "google/protobuf/message.h", false},
        Case{"PolicyEngine", "interceptors/policy/verdict.h",
             "interceptors/engine/event.h", false},
        Case{"ConfigProto", "interceptors/config/reader.cc",
             "proto/retrykit/v1/a.pb.h", true},
        Case{"ConfigStubs", "interceptors/config/reader.cc",
             "proto/demo/a.grpc.pb.h", false},
        Case{"ConfigJson", "interceptors/config/reader.cc", "nlohmann/json.hpp",
             true},
        Case{"ConfigEngine", "interceptors/config/reader.cc",
             "interceptors/engine/a.h", false},
        Case{"EnginePolicy", "interceptors/engine/call.h",
             "interceptors/policy/verdict.h", true},
        Case{"EngineConfig", "interceptors/engine/call.h",
             "interceptors/config/table.h", false},
        Case{"EngineJson", "interceptors/engine/call.h", "nlohmann/json.hpp",
             false},
        Case{"AdapterEngine", "interceptors/adapter/hook.h",
             "interceptors/engine/call.h", true},
        Case{"AdapterGrpc", "interceptors/adapter/hook.h",
             "grpcpp/client_context.h", true},
        Case{"AdapterTelemetry", "interceptors/adapter/hook.h",
             "interceptors/telemetry/log.h", false},
        Case{"AdapterFacade", "interceptors/adapter/hook.h",
             "interceptors/retrykit.h", false},
        Case{"TelemetryEvents", "interceptors/telemetry/log.h",
             "interceptors/engine/events.h", true},
        Case{"TelemetryEngine", "interceptors/telemetry/log.h",
             "interceptors/engine/call.h", false},
        Case{"FacadeAdapter", "interceptors/retrykit.cc",
             "interceptors/adapter/hook.h", true},
        Case{"FacadePolicy", "interceptors/retrykit.cc",
             "interceptors/policy/verdict.h", false},
        Case{"CliEngine", "cli/simulate.cc", "interceptors/engine/call.h",
             true},
        Case{"CliAdapter", "cli/simulate.cc", "interceptors/adapter/hook.h",
             false},
        Case{"CliValidator", "cli/check.cc",
             "grpcpp/support/validate_service_config.h", true},
        Case{"CliGrpc", "cli/check.cc", "grpcpp/grpcpp.h", false},
        Case{"ExampleFacade", "examples/quickstart/main.cc",
             "interceptors/retrykit.h", true},
        Case{"ExampleAdapter", "examples/quickstart/main.cc",
             "interceptors/adapter/hook.h", false},
        Case{"TestRoom", "tests/policy/verdict_test.cc",
             "interceptors/policy/verdict.h", true},
        Case{"TestSupport", "tests/policy/verdict_test.cc",
             "tests/support/fake_clock.h", true},
        Case{"TestOtherRoom", "tests/policy/verdict_test.cc",
             "interceptors/engine/call.h", false},
        Case{"TestGrpc", "tests/policy/verdict_test.cc", "grpcpp/grpcpp.h",
             false},
        Case{"TestOfFacade", "tests/facade/retrykit_test.cc",
             "interceptors/retrykit.h", true},
        Case{"EndToEnd", "tests/end_to_end/retry_test.cc", "grpcpp/grpcpp.h",
             true},
        Case{"NotFromTheRoot", "interceptors/core/clock.h", "instant.h", false},
        Case{"Upwards", "interceptors/core/clock.h", "../policy/verdict.h",
             false},
        Case{"UnknownLibrary", "interceptors/core/clock.h",
             "boost/optional.hpp", false},
        Case{"UnknownRoom", "interceptors/helpers/a.h", "chrono", false}),
    [](const auto& tried) { return std::string(tried.param.name); });

TEST(BrokenIncludesTest, NamesFileLineAndHeader) {
  const std::string text =
      "// #include \"interceptors/policy/in_a_comment.h\"\n"
      "#include <vector>\n"
      "#  include \"interceptors/policy/verdict.h\"\n"
      "#include <grpcpp/grpcpp.h>  // never here\n";
  EXPECT_THAT(
      BrokenIncludes("interceptors/core/clock.cc", text),
      ElementsAre(
          "interceptors/core/clock.cc:3: may not include "
          "interceptors/policy/verdict.h",
          "interceptors/core/clock.cc:4: may not include grpcpp/grpcpp.h"));
}

void Write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

TEST(BrokenIncludesOfTreeTest, FindsWhatIsWrongInABadTree) {
  const std::filesystem::path root =
      std::filesystem::path(::testing::TempDir()) / "bad_tree";
  Write(root / "interceptors/core/clock.h",
        "#include \"interceptors/policy/verdict.h\"\n");
  Write(root / "interceptors/policy/verdict.h",
        "#include \"interceptors/core/clock.h\"\n");
  Write(root / "interceptors/lost/helper.cc", "");
  Write(root / "interceptors/core/notes.txt", "#include <grpcpp/grpcpp.h>\n");
  int files = 0;
  EXPECT_THAT(BrokenIncludesOfTree(root.string(), files),
              ElementsAre("interceptors/core/clock.h:1: may not include "
                          "interceptors/policy/verdict.h",
                          "interceptors/lost/helper.cc: is in no room"));
  EXPECT_EQ(files, 3);
}

// The repository: where the link of WORKSPACE among the test's data leads.
std::filesystem::path Repository() {
  return std::filesystem::canonical("WORKSPACE").parent_path();
}

TEST(RepositoryTest, IncludesGoOneWay) {
  int files = 0;
  EXPECT_THAT(BrokenIncludesOfTree(Repository().string(), files), IsEmpty());
  EXPECT_GE(files, 20) << "The sources were not found below " << Repository();
}

}  // namespace
}  // namespace architecture
}  // namespace retrykit
