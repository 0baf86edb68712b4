#include "interceptors/policy/probe_slots.h"

#include <limits>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "interceptors/core/instant.h"

namespace retrykit {
namespace {

constexpr absl::Duration kTick = absl::Nanoseconds(1);
constexpr absl::Duration kAge = absl::Seconds(5);
const Instant kStart = Instant::FromNanos(1'000'000'000'000);

TEST(ProbeSlotsTest, GivesAsManyAsThereAre) {
  ProbeSlots slots;
  slots.Reset(2);
  EXPECT_TRUE(slots.TryTake(kStart, kAge).has_value());
  EXPECT_TRUE(slots.WouldTake(kStart, kAge));
  EXPECT_TRUE(slots.TryTake(kStart, kAge).has_value());
  EXPECT_FALSE(slots.WouldTake(kStart, kAge));
  EXPECT_FALSE(slots.TryTake(kStart, kAge).has_value());
}

// A config may ask for any number.
TEST(ProbeSlotsTest, SlotsAreMadeAsTheyAreNeeded) {
  ProbeSlots slots;
  slots.Reset(std::numeric_limits<int>::max());
  EXPECT_EQ(slots.TryTake(kStart, kAge)->slot, 0);
  const ProbeSlots::Probe second = *slots.TryTake(kStart, kAge);
  EXPECT_EQ(second.slot, 1);
  EXPECT_TRUE(slots.Return(second));
  EXPECT_EQ(slots.TryTake(kStart, kAge)->slot, 1);
}

TEST(ProbeSlotsTest, HasNoneBeforeTheFirstReset) {
  ProbeSlots slots;
  EXPECT_FALSE(slots.TryTake(kStart, kAge).has_value());
  EXPECT_FALSE(slots.Return({0, 1}));
}

TEST(ProbeSlotsTest, AReturnedOneIsGivenAgainAndItsFirstTicketIsVoid) {
  ProbeSlots slots;
  slots.Reset(1);
  const ProbeSlots::Probe first = *slots.TryTake(kStart, kAge);
  EXPECT_TRUE(slots.Return(first));
  EXPECT_FALSE(slots.Return(first));
  const ProbeSlots::Probe second = *slots.TryTake(kStart, kAge);
  EXPECT_EQ(second.slot, first.slot);
  EXPECT_NE(second.ticket, first.ticket);
  EXPECT_FALSE(slots.Return(first));
  EXPECT_TRUE(slots.Return(second));
}

TEST(ProbeSlotsTest, AHungOneIsGivenAgainAtItsAgeNotATickEarlier) {
  ProbeSlots slots;
  slots.Reset(1);
  const ProbeSlots::Probe hung = *slots.TryTake(kStart, kAge);
  EXPECT_FALSE(slots.WouldTake(kStart + kAge - kTick, kAge));
  EXPECT_FALSE(slots.TryTake(kStart + kAge - kTick, kAge).has_value());
  EXPECT_TRUE(slots.WouldTake(kStart + kAge, kAge));
  const ProbeSlots::Probe again = *slots.TryTake(kStart + kAge, kAge);
  EXPECT_FALSE(slots.Return(hung));
  EXPECT_TRUE(slots.Return(again));
}

TEST(ProbeSlotsTest, TheOldestHungOneGoesFirstAndAFreeOneBeforeIt) {
  ProbeSlots slots;
  slots.Reset(3);
  const ProbeSlots::Probe a = *slots.TryTake(kStart + 2 * kTick, kAge);
  const ProbeSlots::Probe b = *slots.TryTake(kStart + 1 * kTick, kAge);
  const ProbeSlots::Probe c = *slots.TryTake(kStart + 3 * kTick, kAge);
  const Instant late = kStart + 2 * kAge;
  ASSERT_TRUE(slots.Return(c));
  EXPECT_EQ(slots.TryTake(late, kAge)->slot, c.slot);
  EXPECT_EQ(slots.TryTake(late, kAge)->slot, b.slot);
  EXPECT_EQ(slots.TryTake(late, kAge)->slot, a.slot);
  EXPECT_FALSE(slots.TryTake(late, kAge).has_value());
}

TEST(ProbeSlotsTest, AnEarlierNowTakesNothingFromAHolder) {
  ProbeSlots slots;
  slots.Reset(1);
  const ProbeSlots::Probe held = *slots.TryTake(kStart, kAge);
  EXPECT_FALSE(slots.TryTake(kStart - absl::Hours(1), kAge).has_value());
  EXPECT_TRUE(slots.Return(held));
}

TEST(ProbeSlotsTest, ResetMakesAllEarlierOnesVoid) {
  ProbeSlots slots;
  slots.Reset(1);
  const ProbeSlots::Probe before = *slots.TryTake(kStart, kAge);
  slots.Reset(2);
  EXPECT_FALSE(slots.Return(before));
  EXPECT_TRUE(slots.TryTake(kStart, kAge).has_value());
  EXPECT_FALSE(slots.Return(before));
  EXPECT_TRUE(slots.TryTake(kStart, kAge).has_value());
  EXPECT_FALSE(slots.TryTake(kStart, kAge).has_value());
}

TEST(ProbeSlotsTest, WhatIsNoProbeIsNotReturned) {
  ProbeSlots slots;
  slots.Reset(1);
  EXPECT_FALSE(slots.Return({}));
  EXPECT_FALSE(slots.Return({-1, 1}));
  EXPECT_FALSE(slots.Return({0, 0}));
  EXPECT_FALSE(slots.Return({7, 1}));
}

}  // namespace
}  // namespace retrykit
