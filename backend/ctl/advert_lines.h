// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "backend/ctl/commands.h"

namespace divisi::ctl {

// Signaling types 1 to 5 among the messages of `divisictl signals`.

/// Whether it is one of them, not RSVP.
inline bool is_advert(const control::SignalRecord& record) { return record.kind != control::SignalKind::rsvp; }
/// "REGISTER" (type 1), "ROUTES" (2), "REQUEST" (3), "LOAD" (4) or "REPORT" (5), from whom to whom, and what it says;
/// null for one that does not decode.
nlohmann::ordered_json advert_json(const control::SignalRecord& record, const control::MeshState& state);
/// The same as what a line of the terminal says behind sender and receiver.
std::string advert_text(const nlohmann::ordered_json& line);

/// As the orchestrator and all devices are called.
inline constexpr const char *registry_name = "orchestrator", *all_devices = "all";

}  // namespace divisi::ctl
