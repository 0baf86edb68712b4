#!/usr/bin/env python3
"""Tests of the source checkers: python3 tools/checkers_test.py"""
import unittest

import check_includes
import check_sizes
import check_time_and_chance
import sources


class CodeOf(unittest.TestCase):
    def test_blanks_comments_and_strings_and_keeps_lines(self):
        text = 'a(); // "b\n/* c\n d */ e("f//\\"g", \'"\', 1\'000);\nR"x(h\n)" )x" i;\n'
        self.assertEqual(sources.code_of(text), 'a(); \n\n e("", \'\', 1\'000);\n"\n" i;\n')


class Includes(unittest.TestCase):
    def mistakes(self, text):
        return list(check_includes.mistakes_in("interceptors/core/clock.h", text))

    def test_accepts_paths_from_the_root_and_libraries(self):
        self.assertEqual(self.mistakes('#include <vector>\n#include "absl/time/time.h"\n#include "proto/a.pb.h"\n'), [])

    def test_refuses_relative_paths_and_angle_brackets(self):
        self.assertEqual(
            self.mistakes('#include "../core/a.h"\n#include <interceptors/core/a.h>\n'),
            ["interceptors/core/clock.h:1: write ../core/a.h from the repository's root",
             'interceptors/core/clock.h:2: write "interceptors/core/a.h", not <interceptors/core/a.h>'])


class TimeAndChance(unittest.TestCase):
    def kinds(self, line):
        return [kind for kind, pattern in check_time_and_chance.RULES.items() if pattern.search(line)]

    def test_refuses(self):
        for kind, lines in {
            "sleep": ["std::this_thread::sleep_for(d);", "absl::SleepFor(d);", "usleep(3);", "sleep(1);"],
            "clock": ["absl::Now()", "std::chrono::system_clock::now()", "std::time(nullptr)", "time(NULL)"],
            "chance": ["std::random_device d;", "rand()", "absl::BitGen gen;", "F(absl::BitGen());",
                       "std::make_unique<absl::InsecureBitGen>();", "absl::BitGen gen{};"],
        }.items():
            for line in lines:
                self.assertEqual(self.kinds(line), [kind], line)

    def test_accepts(self):
        for line in ["std::chrono::system_clock::time_point deadline;", "absl::BitGenRef gen", "absl::BitGen& gen",
                     "absl::BitGen gen(seeds);", "clock.Now()", "std::mt19937_64 bits(seed);", "operand(1)",
                     "uptime(nullptr)", "cv.wait_for(lock, d)"]:
            self.assertEqual(self.kinds(line), [], line)


class Sizes(unittest.TestCase):
    def functions(self, text):
        return list(check_sizes.functions_in(sources.code_of(text)))

    def test_finds_functions_and_nothing_else(self):
        text = """namespace a {
#define LOOP(x) do { \\
  x(); } while (false)
class ABSL_LOCKABLE S final : public B<int(int)> {
 public:
  S(int x) : a_{x}, b_(x) {
    F("{");
  }
  bool operator==(const S& o) const { return a_ == o.a_; }
  int Get() const ABSL_LOCKS_EXCLUDED(mu_) {
    return [](int x) { return x; }(a_);
  }
  S() = default;
 private:
  int a_{3}, b_ = F(3);
};
constexpr Case kCases[] = {{F(1)}, {2}};
const auto kLambda = [](int) { return 1; };
struct Foo* Make(int x) {
  return nullptr;
}
TEST(S, Works) { EXPECT_TRUE(true); }
INSTANTIATE_TEST_SUITE_P(X, Y, Values(Case{1}), [](auto& x) { return x; });
}  // namespace a
extern "C" { void Last() {} }
"""
        self.assertEqual(self.functions(text), [(6, 3), (9, 1), (10, 3), (19, 3), (22, 1), (25, 1)])

    def test_percentiles(self):
        self.assertEqual(check_sizes.share(list(range(1, 11)), 50), 5)
        self.assertEqual(check_sizes.share(list(range(1, 11)), 90), 9)


if __name__ == "__main__":
    unittest.main()
