// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/module_types.h"

namespace divisi::control::inline types {

const char* to_string(ModuleInput input) {
    switch (input) {
        case ModuleInput::services: return "services";
        case ModuleInput::routes: return "routes";
        case ModuleInput::load: return "load";
        case ModuleInput::quality: return "quality";
        case ModuleInput::topology: return "topology";
        case ModuleInput::tasks: return "tasks";
    }
    return "unknown";
}

const char* to_string(AdviceKind kind) {
    switch (kind) {
        case AdviceKind::path_priority: return "path priority";
        case AdviceKind::node_avoidance: return "node avoidance";
        case AdviceKind::traffic: return "traffic";
        case AdviceKind::drain: return "drain";
    }
    return "unknown";
}

const char* to_string(AdviceOutcome outcome) {
    switch (outcome) {
        case AdviceOutcome::taken: return "taken";
        case AdviceOutcome::refused: return "refused";
        case AdviceOutcome::held: return "held";
        case AdviceOutcome::expired: return "expired";
    }
    return "unknown";
}

const char* to_string(ModuleState state) {
    switch (state) {
        case ModuleState::advises: return "advises";
        case ModuleState::stands_by: return "stands by";
        case ModuleState::off: return "off";
        case ModuleState::gone: return "gone";
        case ModuleState::cut_off: return "cut off";
    }
    return "unknown";
}

std::string to_text(const Advice& advice) {
    const std::string ends = advice.from.empty() ? "" : ":" + advice.from + ":" + advice.to;
    switch (advice.kind) {
        case AdviceKind::path_priority: return "share" + ends + "=" + std::to_string(advice.value);
        case AdviceKind::traffic: return "window" + ends + "=" + std::to_string(advice.value) + "B";
        case AdviceKind::node_avoidance: return "avoid:" + advice.from;
        case AdviceKind::drain: return "drain:" + advice.from;
    }
    return "";
}

}  // namespace divisi::control::inline types
