#include "data/epoch_order.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "core/base/error.h"

namespace runahead::data {
namespace {

/// Different for each pair of seed and epoch.
std::mt19937_64 generator_of(std::uint64_t seed, std::int64_t epoch) {
  const auto low = [](std::uint64_t number) { return static_cast<std::uint32_t>(number); };
  const auto count = static_cast<std::uint64_t>(epoch);
  std::seed_seq sequence{low(seed), low(seed >> 32), low(count), low(count >> 32)};
  return std::mt19937_64(sequence);
}

/// Fisher-Yates shuffle. std::shuffle draws differently in each standard library. The remainder
/// favours no position by more than one in 2^64 / size.
void shuffle(std::vector<std::int64_t>& order, std::mt19937_64& generator) {
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[generator() % left]);
  }
}

}  // namespace

EpochOrder::EpochOrder(const Options& options) : options_(options) {
  RUNAHEAD_REQUIRE(options.examples >= 1 && options.batch_size >= 1,
                   "an order needs an example and a batch size");
  batches_ = options.examples / options.batch_size;
  if (options.keeps_last_batch && options.examples % options.batch_size != 0) ++batches_;
  RUNAHEAD_REQUIRE(batches_ >= 1, "a batch is larger than all examples");
}

std::vector<std::int64_t> EpochOrder::batch(std::int64_t index) {
  RUNAHEAD_REQUIRE(index >= 0, "batches are counted from 0");
  if (index / batches_ != epoch_) draw(index / batches_);
  const std::int64_t begin = index % batches_ * options_.batch_size;
  const std::int64_t end = std::min(begin + options_.batch_size, options_.examples);
  return {order_.begin() + begin, order_.begin() + end};
}

void EpochOrder::draw(std::int64_t epoch) {
  order_.resize(static_cast<std::size_t>(options_.examples));
  std::iota(order_.begin(), order_.end(), std::int64_t{0});
  if (options_.shuffles) {
    std::mt19937_64 generator = generator_of(options_.seed, epoch);
    shuffle(order_, generator);
  }
  epoch_ = epoch;
}

}  // namespace runahead::data
