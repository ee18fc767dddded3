#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace runahead::engine {

/// A callable that can describe itself for a trace: writes as much as fits into `text` and returns
/// the number of characters written.
template <typename Callable>
concept SelfDescribing = requires(const Callable& callable, std::span<char> text) {
  { callable.describe(text) }
  noexcept->std::same_as<std::size_t>;
};

/// A move-only callable `void()`; empty if made from an empty std::function. Callables of up to
/// `kInlineBytes` that move without throwing live in the object itself; larger ones cost one
/// allocation.
class OperationBody {
 public:
  static constexpr std::size_t kInlineBytes = 112;

  OperationBody() noexcept {}  // NOLINT: `= default` would let `{}` zero the inline memory.

  template <typename Callable>
  requires(!std::is_same_v<std::decay_t<Callable>, OperationBody> &&
           std::is_invocable_r_v<void, std::decay_t<Callable>&>)
      OperationBody(Callable&& callable) {  // NOLINT: implicit by intent
    using Stored = std::decay_t<Callable>;
    if constexpr (requires(const Stored& stored) { stored == nullptr; }) {
      if (callable == nullptr) return;
    }
    if constexpr (is_inline<Stored>()) {
      emplace<Stored>(std::forward<Callable>(callable));
    } else {
      emplace<Boxed<Stored>>(std::make_unique<Stored>(std::forward<Callable>(callable)));
    }
  }

  OperationBody(OperationBody&& other) noexcept { take(other); }
  OperationBody& operator=(OperationBody&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  ~OperationBody() { reset(); }

  /// Precondition: not empty.
  void operator()() { handlers_->call(storage_); }
  explicit operator bool() const noexcept { return handlers_ != nullptr; }

  /// Writes the description of a SelfDescribing callable; returns 0 for any other callable.
  /// Precondition: not empty.
  [[nodiscard]] std::size_t describe(std::span<char> text) const noexcept {
    return handlers_->describe == nullptr ? 0 : handlers_->describe(storage_, text);
  }

  /// Destroys the callable; the body is empty afterwards.
  void reset() noexcept {
    if (handlers_ != nullptr) std::exchange(handlers_, nullptr)->destroy(storage_);
  }

  /// Whether callables of this type are stored without an allocation.
  template <typename Callable>
  [[nodiscard]] static constexpr bool is_inline() noexcept {
    return sizeof(Callable) <= kInlineBytes && alignof(Callable) <= alignof(void*) &&
           std::is_nothrow_move_constructible_v<Callable>;
  }

 private:
  struct Handlers {
    void (*call)(std::byte*);
    void (*relocate)(std::byte* from, std::byte* to) noexcept;
    void (*destroy)(std::byte*) noexcept;
    std::size_t (*describe)(const std::byte*, std::span<char>) noexcept;  ///< Null if it has none.
  };

  /// What is stored of a callable that is too large for the object itself.
  template <typename Callable>
  struct Boxed {
    explicit Boxed(std::unique_ptr<Callable> boxed) noexcept : callable(std::move(boxed)) {}
    void operator()() { (*callable)(); }
    [[nodiscard]] std::size_t describe(std::span<char> text) const noexcept requires
        SelfDescribing<Callable> {
      return callable->describe(text);
    }
    std::unique_ptr<Callable> callable;
  };

  template <typename Stored>
  static constexpr auto describer() noexcept -> decltype(Handlers::describe) {
    if constexpr (SelfDescribing<Stored>) {
      return [](const std::byte* storage, std::span<char> text) noexcept -> std::size_t {
        return std::launder(reinterpret_cast<const Stored*>(storage))->describe(text);
      };
    } else {
      return nullptr;
    }
  }

  template <typename Stored>
  struct HandlersOf {
    static Stored& at(std::byte* storage) noexcept {
      return *std::launder(reinterpret_cast<Stored*>(storage));
    }
    static void call(std::byte* storage) { at(storage)(); }
    static void relocate(std::byte* from, std::byte* to) noexcept {
      ::new (static_cast<void*>(to)) Stored(std::move(at(from)));
      at(from).~Stored();
    }
    static void destroy(std::byte* storage) noexcept { at(storage).~Stored(); }
    static constexpr Handlers kHandlers{&call, &relocate, &destroy, describer<Stored>()};
  };

  // Precondition: *this is empty.
  template <typename Stored, typename Source>
  void emplace(Source&& source) {
    ::new (static_cast<void*>(storage_)) Stored(std::forward<Source>(source));
    handlers_ = &HandlersOf<Stored>::kHandlers;
  }

  // Precondition: *this is empty.
  void take(OperationBody& other) noexcept {
    if (other.handlers_ != nullptr) {
      other.handlers_->relocate(other.storage_, storage_);
      handlers_ = std::exchange(other.handlers_, nullptr);
    }
  }

  const Handlers* handlers_ = nullptr;
  alignas(void*) std::byte storage_[kInlineBytes];
};

}  // namespace runahead::engine
