#pragma once

namespace runahead {

/// Whether this build has AddressSanitizer.
inline constexpr bool kHasAddressSanitizer =
#if defined(__SANITIZE_ADDRESS__)
    true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

/// Whether this build has AddressSanitizer, ThreadSanitizer or MemorySanitizer.
inline constexpr bool kHasSanitizer = kHasAddressSanitizer ||
#if defined(__SANITIZE_THREAD__)
                                      true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
                                      true;
#else
                                      false;
#endif
#else
                                      false;
#endif

}  // namespace runahead
