#pragma once

#include <cstdint>
#include <filesystem>

namespace runahead::sweep {

/// Whether the disk of a folder has that much room left for this user: free bytes, a free inode,
/// and a quota that lets 1 MiB be written, which it does, and removes. Blocks for that write.
[[nodiscard]] bool has_disk_room(const std::filesystem::path& folder, std::uint64_t room_bytes);

}  // namespace runahead::sweep
