// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "backend/control/types/mesh_types.h"
#include "backend/ctl/terminal/commands.h"

namespace divisi::ctl {

// Signaling messages of types 1 to 5, as `divisictl signals` shows them.

/// Returns whether the record is a signaling message of type 1 to 5, and not an RSVP message.
inline bool is_advert(const control::SignalRecord& record) { return record.kind != control::SignalKind::rsvp; }
/// Returns the message as JSON: its type, sender, receiver and content. The type is "REGISTER" (type 1), "ROUTES" (2),
/// "REQUEST" (3), "LOAD" (4) or "REPORT" (5). Returns null if the message does not decode.
nlohmann::ordered_json advert_json(const control::SignalRecord& record, const control::MeshState& state);
/// Returns the content of that JSON as the text that the terminal prints after sender and receiver.
std::string advert_text(const nlohmann::ordered_json& line);

/// Names that the output uses for the orchestrator and for all devices together.
inline constexpr const char *registry_name = "orchestrator", *all_devices = "all";

}  // namespace divisi::ctl
