// SPDX-License-Identifier: Apache-2.0
// Adds the commands of the group "Machines and keys": keys, drain, reserve, blobs.
#include "backend/ctl/options/groups.h"

namespace divisi::ctl {
namespace {

void add_keys(CLI::App& app, CommandLine& line) {
    CLI::App* keys =
        add_command(app, line, "keys", "list, allow and revoke keys", [&] { return list_keys(line.common); });
    add_cluster_options(keys, line);
    auto* add = add_command(*keys, line, "add", "allow a public key", [&]() -> int {
        line.key.role = *control::parse_role(line.role);
        return change_key(line.common, line.key);
    });
    add->add_option("PUBLIC_KEY", line.key.public_key, "public key: 40 characters of Z85")->required();
    add->add_option("--name", line.key.name, "name of its owner")->required();
    add->add_option("--role", line.role, "rights of its owner")
        ->check(CLI::IsMember({"viewer", "operator", "agent", "admin", "module"}))
        ->capture_default_str();
    add_cluster_options(add, line);
    auto* revoke = add_command(*keys, line, "revoke", "revoke a key", [&] {
        line.key.revoked = true;
        return change_key(line.common, line.key);
    });
    revoke->add_option("PUBLIC_KEY", line.key.public_key, "public key: 40 characters of Z85")->required();
    add_cluster_options(revoke, line);
}

void add_drain(CLI::App& app, CommandLine& line) {
    auto* drain = add_command(app, line, "drain", "take a node out of use; training tasks move to other nodes", [&] {
        line.drain.node = NodeId(line.name);
        return drain_node(line.common, line.drain, line.follow);
    });
    drain->add_option("NODE", line.name, "node, such as mic-1/node-2")->required();
    auto* undo = drain->add_flag("--undo", line.drain.undo, "let the node accept instances again");
    drain->add_flag("--wait", line.follow, "print what still runs there, until the node is free")->excludes(undo);
    add_cluster_options(drain, line);
}

void add_reserve(CLI::App& app, CommandLine& line) {
    auto* reserve = add_command(app, line, "reserve", "list, make and cancel reservations of nodes",
                                [&] { return list_reservations(line.common); });
    add_cluster_options(reserve, line);
    auto* add = add_command(*reserve, line, "add", "reserve nodes for a submitter or a task",
                            [&] { return add_reservation(line.common, line.reserve); });
    add->add_option("--pool", line.reserve.pool, "reserve nodes of this pool");
    add->add_option("--nodes", line.reserve.nodes,
                    "reserve these nodes: mic-1/node-1, or \"mic-1/*\"; separate several by commas")
        ->delimiter(',')
        ->allow_extra_args(false);
    add->add_option("--submitter", line.reserve.submitter,
                    "reserve for tasks of this submitter: the name of a key, or uid:NUMBER on ipc");
    add->add_option("--task", line.reserve.task, "reserve for this task instead");
    add->add_option("--from", line.reserve.from, "start: \"2026-11-22 21:30\" or +2h (default: now)");
    add->add_option("--for", line.reserve.length, "length: 90s, 30m, 2h, 7d")->required();
    add_cluster_options(add, line);
    auto* cancel = add_command(*reserve, line, "cancel", "cancel a reservation",
                               [&] { return cancel_reservation(line.common, line.number); });
    cancel->add_option("NUMBER", line.number, "number of the reservation")->required();
    add_cluster_options(cancel, line);
}

void add_blobs(CLI::App& app, CommandLine& line) {
    auto* blobs = add_command(app, line, "blobs", "list the files that tasks have left on nodes, by their hash",
                              [&] { return list_blobs(line.common); });
    add_cluster_options(blobs, line);
    auto* bring = add_command(*blobs, line, "bring",
                              "copy a file from one node to another, with less priority than the tensors of tasks",
                              [&] { return bring_blob(line.common, line.name, line.a, line.b); });
    bring->add_option("HASH", line.name, "hash of the file, as 'blobs' lists it")->required();
    bring->add_option("--from", line.a, "node that has the file, such as mic-1/node-1")->required();
    bring->add_option("--to", line.b, "node that gets a copy")->required();
    add_cluster_options(bring, line);
}

}  // namespace

void add_machine_group(CLI::App& app, CommandLine& line) {
    add_keys(app, line);
    add_drain(app, line);
    add_reserve(app, line);
    add_blobs(app, line);
}

}  // namespace divisi::ctl
