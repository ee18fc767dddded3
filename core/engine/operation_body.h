#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

// Interim: the engine's author replaces both with hand-tuned inline storage.
namespace runahead::engine {

/// A move-only callable `void()`.
class OperationBody {
 public:
  OperationBody() = default;
  template <typename Callable>
  OperationBody(Callable callable)  // NOLINT: implicit by intent
      : impl_(std::make_unique<Holder<Callable>>(std::move(callable))) {}
  void operator()() { impl_->call(); }
  explicit operator bool() const noexcept { return impl_ != nullptr; }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual void call() = 0;
  };
  template <typename Callable>
  struct Holder final : Base {
    explicit Holder(Callable c) : callable(std::move(c)) {}
    void call() override { callable(); }
    Callable callable;
  };
  std::unique_ptr<Base> impl_;
};

struct Access;
using AccessList = std::vector<Access>;

}  // namespace runahead::engine
