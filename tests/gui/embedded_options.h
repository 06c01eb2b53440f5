// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "app/client/cluster_client.h"
#include "app/client/embedded_host.h"
#include "tests/system/programs.h"

namespace divisi::testing {

/// Returns the options of a console whose embedded cluster is in the test's own folder.
inline client::ClusterOptions embedded_options(const tests::Programs& programs) {
    client::ClusterOptions options;
    const std::filesystem::path data = programs.data().toStdString();
    options.keys = data / "client.key";
    options.uploads = data / "uploads";
    options.version = "test";
    options.start = [data] { return client::host_embedded(data); };
    return options;
}

}  // namespace divisi::testing
