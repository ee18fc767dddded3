#pragma once

#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace runahead::sweep {

/// Turns each SIGINT, SIGTERM and SIGHUP into one call of a function, on the thread that runs
/// `context`; the signal handler itself only writes to a pipe. During its lifetime, these signals
/// do not end the process. A SIGHUP that is ignored (nohup) stays ignored.
class InterruptWatch {
 public:
  /// `on_interrupt` is called once per signal, with its number, from `context`.
  InterruptWatch(boost::asio::io_context& context, std::function<void(int signal)> on_interrupt);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace runahead::sweep
