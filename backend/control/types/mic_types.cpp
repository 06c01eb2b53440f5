// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/mic_types.h"

namespace divisi::control::inline types {

std::string line_of(const mesh::mic::Broken& broken) {
    using mesh::mic::Cause;
    const std::string from = broken.edge.from.value(), to = broken.edge.to.value();
    const std::string source = from + " (" + broken.edge.from_mic.value() + ")";
    if (to.empty()) return source + " has its inputs and makes no progress";
    const std::string edge = "the dependency " + from + " > " + to + " is broken: ";
    switch (broken.cause) {
        case Cause::nothing_arrives: {
            const bool inside = broken.edge.from_mic == broken.edge.to_mic;
            const std::string where =
                inside ? "within " + broken.edge.to_mic.value()
                       : "from " + broken.edge.from_mic.value() + " to " + broken.edge.to_mic.value();
            return edge + "nothing arrives " + where;
        }
        case Cause::stands: return edge + source + " has its inputs and makes no progress";
        case Cause::silent: return edge + source + " is silent";
    }
    return edge;
}

}  // namespace divisi::control::inline types
