// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <set>
#include <string>
#include <utility>

#include "app/client/client.h"
#include "app/model/tracking/selection.h"

namespace divisi::model {

/// Sender and receiver of tensors, as instances.
using Wire = std::pair<InstanceId, InstanceId>;

/// Returns the wires whose tensors cross a link in either direction, according to the gateways' paths; empty if the
/// selection is not a link.
std::set<Wire> wires_over(const Selected& link, const control::MeshState& mesh, const control::ClusterState& cluster);

/// Stores the wires that use the selected link, for views that show instances but not the mesh. Requests the mesh when
/// a link is selected. While the topology view is visible, the wires are updated with each mesh report.
class LinkWires : public QObject {
    Q_OBJECT
public:
    /// `client` may be null. `selection` and `client` must outlive this object.
    LinkWires(Selection& selection, client::Client* client);

    const std::set<Wire>& wires() const { return wires_; }
    bool crosses(const std::string& sender, const std::string& receiver) const {
        return wires_.contains({InstanceId(sender), InstanceId(receiver)});
    }

Q_SIGNALS:
    void changed();

private:
    void ask();
    void take(const control::MeshState& mesh);

    Selection& selection_;
    client::Client* client_;
    std::set<Wire> wires_;
};

}  // namespace divisi::model
