#include "core/base/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/base/error.h"

namespace runahead {
namespace {

/// An open file that closes itself.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags) : Descriptor(path, flags, path) {}
  /// @param named  The path named in errors; must outlive this.
  Descriptor(const std::filesystem::path& path, int flags, const std::filesystem::path& named)
      : named_(named), number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (number_ < 0) fail("open");
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void write(std::string_view content) {
    if (!write_all(number_, content)) fail("write");
  }

  void sync() {
    // Pipes and the like cannot be synced and need not be.
    if (::fsync(number_) != 0 && errno != EINVAL && errno != EROFS) fail("flush");
  }

  /// Whether the last byte is not a newline.
  bool ends_torn() {
    char last = '\n';
    const off_t size = ::lseek(number_, 0, SEEK_END);
    return size > 0 && ::pread(number_, &last, 1, size - 1) == 1 && last != '\n';
  }

 private:
  [[noreturn]] void fail(const char* action) {
    throw Error(std::string("cannot ") + action + " " + named_.string() + ": " +
                std::strerror(errno));
  }

  const std::filesystem::path& named_;
  int number_ = -1;
};

/// @param max_bytes  A whole number of MiB is also shown as such.
[[noreturn]] void fail_as_too_large(const std::filesystem::path& path, std::size_t max_bytes) {
  std::error_code error;  // A pipe has no size.
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  const bool is_known = !error && bytes > max_bytes;
  const bool is_of_mib = max_bytes % (std::size_t{1} << 20) == 0;
  throw ConfigError(path.string() + ": found " +
                    (is_known ? std::to_string(bytes) : "more than " + std::to_string(max_bytes)) +
                    " bytes; allowed: at most " + std::to_string(max_bytes) +
                    (is_of_mib ? " (" + std::to_string(max_bytes >> 20) + " MiB)" : ""));
}

/// Throws the error for a folder that cannot be created; names the file in its place, if there is
/// one.
[[noreturn]] void fail_to_make(const std::filesystem::path& folder, const std::error_code& error) {
  std::error_code ignored;
  std::filesystem::path known = folder;
  const auto is_there = [&] {
    return std::filesystem::exists(known, ignored) || std::filesystem::is_symlink(known, ignored);
  };
  while (known.has_relative_path() && !is_there()) known = known.parent_path();
  if (!known.empty() && !std::filesystem::exists(known, ignored)) {
    throw ConfigError("'" + known.string() + "' is a link to nothing; give another folder");
  }
  if (known.empty() || std::filesystem::is_directory(known, ignored)) {
    throw Error("cannot create the folder '" + folder.string() + "': " + error.message() +
                "; give another folder");
  }
  throw ConfigError("'" + known.string() + "' is a file; give another folder");
}

void make_parent(const std::filesystem::path& path) {
  if (path.has_parent_path()) make_folder(path.parent_path());
}

void rename_to(const std::filesystem::path& temporary, const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) throw Error("cannot write " + path.string() + ": " + error.message());
}

/// rename_to() that fails if `path` exists. Most file systems have a rename that does not replace,
/// or hard links; some shared and FUSE mounts have neither, and get an empty file first.
void rename_to_new(const std::filesystem::path& temporary, const std::filesystem::path& path) {
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) {
    return;
  }
  if (errno == EINVAL && ::link(temporary.c_str(), path.c_str()) == 0) {
    ::unlink(temporary.c_str());
    return;
  }
  const bool has_no_links = errno == EPERM || errno == ENOSYS || errno == EOPNOTSUPP;
  if (has_no_links) {
    const int created = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (created >= 0) {
      ::close(created);
      try {
        return rename_to(temporary, path);
      } catch (const Error&) {
        ::unlink(path.c_str());
        throw;
      }
    }
  }
  throw Error("cannot write " + path.string() + ": " + std::strerror(errno) +
              (errno == EEXIST ? ", and is not overwritten" : ""));
}

/// Writes a temporary file in the folder of `path`, then calls `publish` with both.
template <typename Publish>
void write_and_publish(const std::filesystem::path& path, std::string_view content,
                       const Publish& publish) {
  make_parent(path);
  const std::filesystem::path temporary =
      path.string() + ".tmp" + std::to_string(static_cast<long>(::getpid()));
  try {
    Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC, path);
    file.write(content);
    file.sync();
    publish(temporary, path);
  } catch (const Error&) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

struct flock whole_file(short type) noexcept {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

int set_lock(int file, short type) noexcept {
  const struct flock lock = whole_file(type);
  return ::fcntl(file, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

}  // namespace

void require_working_folder() {
  std::error_code error;
  static_cast<void>(std::filesystem::current_path(error));
  if (!error) return;
  throw ConfigError("the working folder cannot be used (" + error.message() +
                    "); change to a folder that exists");
}

bool make_folder(const std::filesystem::path& path) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(path, error);
  if (!error && !is_new && !std::filesystem::is_directory(path)) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  if (error) fail_to_make(path, error);
  return is_new;
}

std::string read_file(const std::filesystem::path& path, std::size_t max_bytes) {
  if (path == "-") return read_file("/dev/stdin", max_bytes);
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw ConfigError(path.string() + ": no such file; check the path");
  }
  if (error) throw ConfigError("cannot read " + path.string() + ": " + error.message());
  if (std::filesystem::is_directory(status)) {
    throw ConfigError("'" + path.string() + "' is a folder; give a file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ConfigError("cannot read " + path.string() + ": " + std::strerror(errno));
  std::string content;
  char chunk[65536];
  while (file.read(chunk, sizeof chunk) || file.gcount() > 0) {
    content.append(chunk, static_cast<std::size_t>(file.gcount()));
    if (content.size() > max_bytes) fail_as_too_large(path, max_bytes);
  }
  return content;
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  write_and_publish(path, content, rename_to);
}

void write_new_file(const std::filesystem::path& path, std::string_view content) {
  write_and_publish(path, content, rename_to_new);
}

void check_writable(const std::filesystem::path& path) {
  write_and_publish(path, "", [](const auto& temporary, const auto& /*path*/) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
  });
}

void replace_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path replacement = replacement_of(path);
  write_file(replacement, content);
  rename_to(replacement, path);
}

std::filesystem::path replacement_of(const std::filesystem::path& path) {
  return path.string() + ".new";
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  Descriptor(path, O_WRONLY | O_CREAT | O_TRUNC).write(content);
}

bool write_all(int file, std::string_view content) noexcept {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void append_line(const std::filesystem::path& path, std::string_view line) {
  make_parent(path);
  Descriptor file(path, O_RDWR | O_CREAT | O_APPEND);
  std::string text = file.ends_torn() ? "\n" : "";
  text.append(line).append("\n");
  file.write(text);
  file.sync();
}

int try_lock_file(int file) noexcept { return set_lock(file, F_WRLCK); }

bool is_file_locked(int file) noexcept {
  struct flock lock = whole_file(F_WRLCK);
  return ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void unlock_file(int file) noexcept { static_cast<void>(set_lock(file, F_UNLCK)); }

}  // namespace runahead
