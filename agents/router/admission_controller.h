// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/control/protocol/message.h"
#include "backend/mesh/admission/admission.h"

namespace divisi::router {

/// The AAM of a gateway: admits flows by the orchestrator's policy, and reports the decisions. While the orchestrator
/// is away, the policy stays valid for the time given at the gateway's start; then nothing is admitted.
class AdmissionController {
public:
    explicit AdmissionController(const mesh::AdmissionConfig& config) : admission_(config) {}

    mesh::Admission& admission() { return admission_; }
    /// Sets the policy. Fails as mesh::Authorizer::set_policy does; everything is denied then.
    Result<void> take(const control::AdmissionPolicy& policy, TimePoint now);
    /// Records that the connection that brought the policy is lost.
    void cut_off() { current_ = false; }
    /// Renews the policy; called regularly while the connection exists.
    void connected(TimePoint now);

    /// Returns a line for the operator if admission has just closed or opened.
    std::optional<std::string> news(TimePoint now);

    /// Adds to a report the counts since the start.
    void count(control::DeviceReport& report) const;
    /// Adds to a report the decisions since the last one.
    void fill(control::DeviceReport& report);

private:
    mesh::Admission admission_;
    bool current_ = false;  ///< the policy arrived over the current connection
    bool closed_ = true;
};

}  // namespace divisi::router
