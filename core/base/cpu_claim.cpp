#include "core/base/cpu_claim.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace runahead {
namespace {

/// Most simultaneous claims of one CPU that see each other.
constexpr int kSeats = 16;

/// The address of the socket that claims one seat of a CPU.
struct Address {
  Address(int cpu, int seat) {
    // The leading zero makes the name abstract, outside any file system.
    const std::string name =
        '\0' + ("runahead/cpu/" + std::to_string(cpu)) + "/" + std::to_string(seat);
    std::memcpy(unix_address.sun_path, name.data(), name.size());
    size_bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  }
  [[nodiscard]] const sockaddr* get() const {
    return reinterpret_cast<const sockaddr*>(&unix_address);
  }

  sockaddr_un unix_address{.sun_family = AF_UNIX, .sun_path = {}};
  socklen_t size_bytes = 0;
};

/// A socket that closes itself. If no descriptors are left, it does nothing.
class Socket {
 public:
  Socket() : descriptor_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  /// False if another claim has this seat.
  [[nodiscard]] bool take(const Address& seat) const {
    return ::bind(descriptor_, seat.get(), seat.size_bytes) == 0 || errno != EADDRINUSE;
  }
  [[nodiscard]] bool reaches(const Address& seat) const {
    return ::connect(descriptor_, seat.get(), seat.size_bytes) == 0;
  }
  /// Ignores errors: an owner that has ended or has enough messages needs none.
  void send_to(const Address& seat) const {
    (void)::sendto(descriptor_, "", 1, MSG_NOSIGNAL, seat.get(), seat.size_bytes);
  }
  [[nodiscard]] int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

/// Takes the first seat if no other is taken; nullopt if the CPU is already claimed.
std::optional<int> claim_alone(int cpu) {
  Socket socket;
  if (!socket.take({cpu, 0})) return std::nullopt;
  for (int seat = 1; seat < kSeats; ++seat) {
    if (Socket().reaches({cpu, seat})) return std::nullopt;
  }
  return socket.release();
}

/// Takes the lowest free seat and notifies the owners of the others; -1 if no seat is free.
int claim_with_others(int cpu) {
  Socket socket;
  bool has_seat = false;
  for (int seat = 0; seat < kSeats; ++seat) {
    if (!has_seat && socket.take({cpu, seat})) {
      has_seat = true;
    } else {
      Socket().send_to({cpu, seat});
    }
  }
  return has_seat ? socket.release() : -1;
}

}  // namespace

CpuClaim::CpuClaim(const std::vector<int>& candidates, std::size_t count) {
  RUNAHEAD_REQUIRE(!candidates.empty() && count >= 1, "a claim needs candidates and a count");
  std::set<int> taken;
  for (const bool alone : {true, false}) {
    for (const int cpu : candidates) {
      if (taken.size() == count) break;
      if (taken.contains(cpu)) continue;
      const std::optional<int> socket = alone ? claim_alone(cpu) : claim_with_others(cpu);
      if (!socket) continue;
      if (*socket >= 0) sockets_.push_back(*socket);
      taken.insert(cpu);
      shared_ = shared_ || !alone;
    }
  }
  std::ranges::copy_if(candidates, std::back_inserter(cpus_),
                       [&taken](int cpu) { return taken.contains(cpu); });
}

CpuClaim::CpuClaim(CpuClaim&& other) noexcept
    : cpus_(std::move(other.cpus_)),
      sockets_(std::exchange(other.sockets_, {})),
      shared_(other.shared_) {}

CpuClaim::~CpuClaim() {
  for (const int socket : sockets_) ::close(socket);
}

bool CpuClaim::is_shared() {
  for (const int socket : sockets_) {
    char message = 0;
    if (::recv(socket, &message, 1, 0) == 1) shared_ = true;
  }
  return shared_;
}

}  // namespace runahead
