#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

namespace runahead::tensor_files {

/// An array in a file as a host tensor of the stored type: .npy, .npz, IDX, safetensors (mapped,
/// not read, if possible), or what torch.save wrote to a .pt or .pth file, a tensor or a dict of
/// tensors. No code from a file is run, and nothing may write to the tensor.
/// @param name  The array's name in a file of several; "" if there is only one.
/// @throws ConfigError if it cannot be read, naming the file and the place in it.
[[nodiscard]] torch::Tensor read_tensor(const std::filesystem::path& path, const std::string& name);

/// @throws ConfigError with `source` unless it is a dense tensor of a type that files can hold.
void require_storable(const torch::Tensor& tensor, const std::string& source);

/// All tensors of a safetensors file, on the host. Nothing may write to them.
/// @throws ConfigError like read_tensor.
[[nodiscard]] std::map<std::string, torch::Tensor> read_tensors(const std::filesystem::path& path);

/// Writes tensors, wherever they are, to a safetensors file, as a whole or not at all. Waits for
/// them. Each must be storable. @throws Error if it cannot.
void write_tensors(const std::filesystem::path& path,
                   const std::map<std::string, torch::Tensor>& tensors);

}  // namespace runahead::tensor_files
