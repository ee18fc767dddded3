#include "core/sweep/interrupt_watch.h"

#include <signal.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

namespace runahead::sweep {

namespace {
/// As SIGHUP is for a program started by nohup.
bool is_ignored(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}
}  // namespace

class InterruptWatch::State : public std::enable_shared_from_this<State> {
 public:
  State(boost::asio::io_context& context, std::function<void(int signal)> on_interrupt)
      : signals_(context, SIGINT, SIGTERM), on_interrupt_(std::move(on_interrupt)) {
    if (!is_ignored(SIGHUP)) signals_.add(SIGHUP);
  }

  void wait() {
    signals_.async_wait(
        [self = shared_from_this()](const boost::system::error_code& error, int signal) {
          if (error) return;
          self->on_interrupt_(signal);
          self->wait();
        });
  }

  void stop() {
    signals_.clear();
    signals_.cancel();
  }

 private:
  boost::asio::signal_set signals_;
  std::function<void(int signal)> on_interrupt_;
};

InterruptWatch::InterruptWatch(boost::asio::io_context& context,
                               std::function<void(int signal)> on_interrupt)
    : state_(std::make_shared<State>(context, std::move(on_interrupt))) {
  state_->wait();
}

InterruptWatch::~InterruptWatch() { state_->stop(); }

}  // namespace runahead::sweep
