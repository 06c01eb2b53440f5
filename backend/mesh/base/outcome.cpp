// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/base/outcome.h"

namespace divisi::mesh::inline base {

const char* to_string(Outcome outcome) {
    switch (outcome) {
        case Outcome::admitted: return "admitted";
        case Outcome::denied: return "denied";
        case Outcome::unserved: return "unserved";
        case Outcome::limited: return "limited";
    }
    return "unknown";
}

}  // namespace divisi::mesh::inline base
