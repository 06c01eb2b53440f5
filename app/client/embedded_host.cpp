// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/embedded_host.h"

#include "backend/embed/embedded_cluster.h"

namespace divisi::client {

namespace {

class EmbeddedHost final : public Host {
public:
    EmbeddedHost(std::filesystem::path data, std::unique_ptr<embed::EmbeddedCluster> cluster)
        : data_(std::move(data)), cluster_(std::move(cluster)) {}

    std::filesystem::path connection() const override { return cluster_->connection(); }
    const std::filesystem::path& data() const override { return data_; }
    bool hosts() const override { return true; }
    Result<void> supervise() override {
        DIVISI_ASSIGN(const embed::EmbeddedCluster::Supervision seen, cluster_->supervise());
        if (!seen.ended) return {};
        return Error{ErrorCode::unavailable, "the cluster of this console was shut down", "", "it is started again"};
    }

private:
    std::filesystem::path data_;
    std::unique_ptr<embed::EmbeddedCluster> cluster_;
};

/// A cluster hosted by another program of this user.
class RunningHost final : public Host {
public:
    explicit RunningHost(std::filesystem::path data)
        : data_(std::move(data)), connection_(embed::connection_file(data_)) {}
    std::filesystem::path connection() const override { return connection_; }
    const std::filesystem::path& data() const override { return data_; }
    bool hosts() const override { return false; }
    Result<void> supervise() override { return {}; }

private:
    std::filesystem::path data_, connection_;
};

}  // namespace

std::filesystem::path default_data_folder() { return embed::default_data_folder(); }

Result<std::unique_ptr<Host>> host_embedded(const std::filesystem::path& data) {
    if (embed::cluster_runs(data) && !embed::cluster_ends(data)) return std::unique_ptr<Host>(new RunningHost(data));
    DIVISI_ASSIGN(std::unique_ptr<embed::EmbeddedCluster> cluster, embed::EmbeddedCluster::start(data));
    return std::unique_ptr<Host>(new EmbeddedHost(data, std::move(cluster)));
}

}  // namespace divisi::client
