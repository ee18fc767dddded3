#include "core/device/dispatch/call_signature.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/device/torch/autocast.h"

namespace runahead::device {
namespace {

// Host tensors up to this size are encoded by value (lengths, indices); larger ones can't be.
constexpr std::int64_t kMaxHostValues = 64;

// How many of these a number exceeds in size: 1, and the largest numbers of the types whose kernels
// refuse larger ones.
std::uint64_t magnitude(double number) {
  static constexpr std::array kLimits{
      1.0,          127.0,
      128.0,        255.0,
      32767.0,      32768.0,
      65504.0,      2147483647.0,
      2147483648.0, static_cast<double>(std::numeric_limits<float>::max())};
  return static_cast<std::uint64_t>(
      std::count_if(kLimits.begin(), kLimits.end(),
                    [size = std::abs(number)](double limit) { return size > limit; }));
}

class SignatureWriter {
 public:
  SignatureWriter(const OperatorPlan& plan, CallSignature& words) : plan_(plan), words_(words) {}

  // Adds what the checks of kernels distinguish: the sign, zero, numbers that are not finite, and
  // the types that can hold the number.
  void add_range(double number) {
    words_.push_back(static_cast<std::uint64_t>(std::fpclassify(number)) << 8 |
                     magnitude(number) << 1 | static_cast<std::uint64_t>(std::signbit(number)));
  }

  // Adds a number's kind, sign and magnitude, not its value.
  void add_free_number(const c10::IValue& value) {
    words_.push_back(static_cast<std::uint64_t>(tag_of(value)));
    if (value.isDouble()) add_range(value.toDouble());
    if (value.isInt()) add_range(static_cast<double>(value.toInt()));
  }

  // Returns false if the value can't be encoded.
  bool add(const c10::IValue& value) {
    if (value.isTensor()) return add_tensor(value.toTensor());
    words_.push_back(static_cast<std::uint64_t>(tag_of(value)));
    if (value.isNone()) return true;
    if (value.isInt()) return add_word(static_cast<std::uint64_t>(value.toInt()));
    if (value.isBool()) return add_word(value.toBool() ? 1 : 0);
    if (value.isDouble()) return add_word(std::bit_cast<std::uint64_t>(value.toDouble()));
    if (value.isComplexDouble()) {
      add_word(std::bit_cast<std::uint64_t>(value.toComplexDouble().real()));
      return add_word(std::bit_cast<std::uint64_t>(value.toComplexDouble().imag()));
    }
    if (value.isString()) return add_text(value.toStringRef());
    if (value.isDevice()) return add_word(static_cast<std::uint64_t>(value.toDevice().type()));
    if (value.isGenerator()) return true;
    if (value.isList()) return add_list(value);
    return false;
  }

 private:
  enum class Tag : std::uint8_t {
    kNone,
    kInt,
    kBool,
    kDouble,
    kComplex,
    kText,
    kDevice,
    kGenerator,
    kList,
    kOther
  };

  static Tag tag_of(const c10::IValue& value) {
    if (value.isNone()) return Tag::kNone;
    if (value.isInt()) return Tag::kInt;
    if (value.isBool()) return Tag::kBool;
    if (value.isDouble()) return Tag::kDouble;
    if (value.isComplexDouble()) return Tag::kComplex;
    if (value.isString()) return Tag::kText;
    if (value.isDevice()) return Tag::kDevice;
    if (value.isGenerator()) return Tag::kGenerator;
    return value.isList() ? Tag::kList : Tag::kOther;
  }

  bool add_word(std::uint64_t word) {
    words_.push_back(word);
    return true;
  }

  bool add_text(const std::string& text) {
    words_.push_back(text.size());
    return add_bytes(text.data(), text.size());
  }

  bool add_bytes(const void* bytes, std::size_t size) {
    const auto* next = static_cast<const char*>(bytes);
    for (std::size_t done = 0; done < size; done += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, next + done, std::min(sizeof(word), size - done));
      words_.push_back(word);
    }
    return true;
  }

  bool add_list(const c10::IValue& value) {
    const auto list = value.toListRef();
    words_.push_back(list.size());
    for (const c10::IValue& element : list) {
      if (!add(element)) return false;
    }
    return true;
  }

  bool add_tensor(const at::Tensor& tensor) {
    if (!tensor.defined()) return add_word(~std::uint64_t{0});
    const auto rank = static_cast<std::uint64_t>(tensor.dim());
    words_.push_back(
        std::uint64_t{1} << 63 | static_cast<std::uint64_t>(tensor.device().type()) << 32 |
        static_cast<std::uint64_t>(tensor.scalar_type()) << 16 | rank << 3 |
        static_cast<std::uint64_t>(tensor.unsafeGetTensorImpl()->is_wrapped_number()) << 2 |
        static_cast<std::uint64_t>(tensor.is_conj()) << 1 |
        static_cast<std::uint64_t>(tensor.is_neg()));
    for (const std::int64_t size : tensor.sizes()) add_word(static_cast<std::uint64_t>(size));
    for (const std::int64_t stride : tensor.strides()) add_word(static_cast<std::uint64_t>(stride));
    const bool is_number = tensor.dim() == 0 && tensor.is_floating_point();
    if (!tensor.is_cpu() || is_number) return true;
    if (plan_.is_pointwise && tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
      add_free_number(tensor.item());
      return true;
    }
    if (tensor.numel() > kMaxHostValues) return false;
    const at::Tensor values = tensor.contiguous();
    return add_bytes(values.const_data_ptr(), values.nbytes());
  }

  const OperatorPlan& plan_;
  CallSignature& words_;
};

// LibTorch's settings, of the process or the thread, that its kernels depend on.
std::uint64_t settings() {
  const at::Context& context = at::globalContext();
  const auto autocast = present_autocast().value_or(at::ScalarType::Undefined);
  return static_cast<std::uint64_t>(autocast) << 16 |
         static_cast<std::uint64_t>(c10::get_default_dtype_as_scalartype()) << 4 |
         static_cast<std::uint64_t>(c10::GradMode::is_enabled()) << 3 |
         static_cast<std::uint64_t>(context.deterministicAlgorithms()) << 2 |
         static_cast<std::uint64_t>(context.userEnabledMkldnn()) << 1 |
         static_cast<std::uint64_t>(context.deterministicFillUninitializedMemory());
}

}  // namespace

std::optional<CallSignature> signature_of(const OperatorPlan& plan, Arguments arguments) {
  CallSignature signature;
  signature.push_back(reinterpret_cast<std::uint64_t>(&plan));
  signature.push_back(settings());
  SignatureWriter writer(plan, signature);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    // The value of learning rates and the like changes with every step, and affects no layout if
    // tensors are read.
    if (arguments[i].isDouble() && plan.reads_tensors) {
      writer.add_range(arguments[i].toDouble());
      continue;
    }
    if (plan.is_free_number(i)) {
      writer.add_free_number(arguments[i]);
    } else if (!writer.add(arguments[i])) {
      return std::nullopt;
    }
  }
  return signature;
}

std::size_t CallSignatureHash::operator()(const CallSignature& signature) const noexcept {
  std::uint64_t hash = signature.size();
  for (const std::uint64_t word : signature) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace runahead::device
