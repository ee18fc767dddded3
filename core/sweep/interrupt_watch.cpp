#include "core/sweep/interrupt_watch.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "core/base/interruption.h"

namespace runahead::sweep {

class InterruptWatch::State : public std::enable_shared_from_this<State> {
 public:
  State(boost::asio::io_context& context, std::function<void(int signal)> on_interrupt)
      : signals_(context), on_interrupt_(std::move(on_interrupt)) {
    for (const int signal : kInterruptions) {
      if (signal != SIGHUP || !is_ignored(signal)) signals_.add(signal);
    }
  }

  void wait() {
    signals_.async_wait(
        [self = shared_from_this()](const boost::system::error_code& error, int signal) {
          if (error) return;
          note_interruption(signal);
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
