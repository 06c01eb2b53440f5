// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/terminal/outage.h"

namespace divisi::ctl {

void Outage::lost(TimePoint now, const std::string& why) {
    if (!why.empty()) why_ = why;
    if (!since_) since_ = now;
}

std::string Outage::back(TimePoint now) {
    const bool told = told_;
    const auto away = since_ ? (now - *since_) / std::chrono::seconds(1) : 0;
    since_.reset();
    told_ = false;
    return told ? "the orchestrator is back after " + std::to_string(away) + " s" : "";
}

std::string Outage::waits(TimePoint now) {
    if (!since_ || told_ || now - *since_ < short_outage) return "";
    told_ = true;
    const std::string until =
        patience_ ? "for " + std::to_string(*patience_ / std::chrono::seconds(1)) + " s" : "for it to come back";
    return "the orchestrator is away (" + why_ + "); waiting " + until + ", Ctrl-C ends the wait";
}

}  // namespace divisi::ctl
