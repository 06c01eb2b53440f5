// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/control/protocol/message_fwd.h"
#include "backend/mesh/admission/admission.h"

namespace divisi::router {

/// The AAM of a gateway: admits flows by the orchestrator's policy, and reports the decisions. While the orchestrator
/// cannot be reached, the policy stays valid for the time given in AdmissionConfig. After that time, nothing is
/// admitted.
class AdmissionController {
public:
    explicit AdmissionController(const mesh::AdmissionConfig& config) : admission_(config) {}

    mesh::Admission& admission() { return admission_; }
    /// Sets the policy. Fails as mesh::Authorizer::set_policy does; everything is denied then.
    Result<void> take(const control::AdmissionPolicy& policy, TimePoint now);
    /// Records that the connection over which the policy arrived is lost.
    void cut_off() { current_ = false; }
    /// Extends the validity of the policy; called regularly while the orchestrator is connected.
    void connected(TimePoint now);

    /// Returns a line for the operator if the gateway has just begun to refuse all flows, or has stopped doing so.
    std::optional<std::string> news(TimePoint now);

    /// Adds the numbers of decisions since the gateway's start to a report.
    void count(control::DeviceReport& report) const;
    /// Adds the decisions since the last report to a report.
    void fill(control::DeviceReport& report);

private:
    mesh::Admission admission_;
    bool current_ = false;  ///< whether the policy arrived over the current connection
    bool closed_ = true;
};

}  // namespace divisi::router
