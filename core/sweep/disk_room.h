#pragma once

#include <cstdint>
#include <filesystem>

namespace runahead::sweep {

/// Whether the disk of a folder has that much room left for this user: free bytes, a free inode,
/// and a quota that allows 1 MiB to be written. Blocks to write and remove that 1 MiB.
[[nodiscard]] bool has_disk_room(const std::filesystem::path& folder, std::uint64_t room_bytes);

}  // namespace runahead::sweep
