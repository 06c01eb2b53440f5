// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "backend/ctl/commands.h"

namespace divisi::ctl {

// Signaling types 2 and 4 among the messages of `divisictl signals`.

/// Whether it is one of them, not RSVP.
inline bool is_advert(const control::SignalRecord& record) { return record.kind != control::SignalKind::rsvp; }
/// "ROUTES" (type 2) or "LOAD" (type 4), from whom to whom, and what it says; null for one that does not decode.
nlohmann::ordered_json advert_json(const control::SignalRecord& record, const control::MeshState& state);
/// The same as what a line of the terminal says behind sender and receiver.
std::string advert_text(const nlohmann::ordered_json& line);

/// As the sender and the receiver of type 2 are called.
inline constexpr const char *registry_name = "orchestrator", *all_devices = "all";

}  // namespace divisi::ctl
