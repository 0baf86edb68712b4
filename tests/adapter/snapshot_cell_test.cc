#include "interceptors/adapter/snapshot_cell.h"

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "gtest/gtest.h"

namespace retrykit {
namespace {

using Cell = SnapshotCell<int>;

TEST(SnapshotCellTest, GivesWhatWasStoredLast) {
  Cell cell(std::make_shared<int>(1));
  EXPECT_EQ(*cell.Load(), 1);
  cell.Store(std::make_shared<int>(2));
  EXPECT_EQ(*cell.Load(), 2);
  cell.Store(std::make_shared<int>(3));
  cell.Store(std::make_shared<int>(4));
  EXPECT_EQ(*cell.Load(), 4);
}

TEST(SnapshotCellTest, GivesTheSameObjectAsLongAsNothingIsStored) {
  const auto value = std::make_shared<const int>(1);
  Cell cell(value);
  EXPECT_EQ(cell.Load(), value);
  EXPECT_EQ(&cell.Load(), &cell.Load());
}

TEST(SnapshotCellTest, CellsOfOneTypeDoNotMix) {
  std::vector<std::unique_ptr<Cell>> cells;
  for (int i = 0; i < 100; ++i)
    cells.push_back(std::make_unique<Cell>(std::make_shared<int>(i)));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i)
      EXPECT_EQ(*cells[static_cast<size_t>(i)]->Load(), i);
  }
}

TEST(SnapshotCellTest, ACellAtAReusedAddressStartsAnew) {
  absl::optional<Cell> cell;
  for (int i = 0; i < 10; ++i) {
    cell.emplace(std::make_shared<int>(i));
    EXPECT_EQ(*cell->Load(), i);
  }
}

TEST(SnapshotCellTest, MayHoldNothing) {
  Cell cell(nullptr);
  EXPECT_EQ(cell.Load(), nullptr);
  cell.Store(std::make_shared<int>(1));
  EXPECT_EQ(*cell.Load(), 1);
}

TEST(SnapshotCellTest, AValueDiesOnceEveryThreadHasSeenTheNext) {
  auto value = std::make_shared<const int>(1);
  const std::weak_ptr<const int> watched = value;
  Cell cell(std::move(value));
  cell.Load();
  std::thread([&] { cell.Load(); }).join();  // Its copy ends with it.
  cell.Store(std::make_shared<int>(2));
  EXPECT_FALSE(watched.expired());
  cell.Load();
  EXPECT_TRUE(watched.expired());
}

// The values only grow, so no reader may ever see one shrink; and what it has
// seen is whole.
TEST(SnapshotCellTest, ReadersAndWritersRace) {
  struct Pair {
    int first;
    int second;
  };
  constexpr int kStores = 2000;
  SnapshotCell<Pair> cell(std::make_shared<Pair>(Pair{0, 0}));
  std::atomic<bool> done{false};
  std::atomic<int> torn{0}, shrunk{0}, seen_last{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      int last = 0;
      while (last < kStores) {
        const std::shared_ptr<const Pair>& pair = cell.Load();
        torn += pair->first != pair->second ? 1 : 0;
        shrunk += pair->first < last ? 1 : 0;
        last = pair->first;
        if (done && last < kStores && cell.Load()->first < kStores) break;
      }
      seen_last += last == kStores ? 1 : 0;
    });
  }
  for (int i = 1; i <= kStores; ++i) {
    cell.Store(std::make_shared<Pair>(Pair{i, i}));
    if (i % 16 == 0) std::this_thread::yield();
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(shrunk, 0);
  EXPECT_EQ(seen_last, 3);
}

}  // namespace
}  // namespace retrykit
