// Names the rows of a table of tests by their member `name`.
//
//   INSTANTIATE_TEST_SUITE_P(Ends, VerdictEndTest, testing::ValuesIn(kRows),
//                            RowName());
#ifndef RETRYKIT_TESTS_SUPPORT_ROW_NAME_H_
#define RETRYKIT_TESTS_SUPPORT_ROW_NAME_H_

#include <string>

#include "gtest/gtest.h"

namespace retrykit {

struct RowName {
  template <typename Row>
  std::string operator()(const testing::TestParamInfo<Row>& row) const {
    return row.param.name;
  }
};

}  // namespace retrykit

#endif  // RETRYKIT_TESTS_SUPPORT_ROW_NAME_H_
