// SPDX-License-Identifier: Apache-2.0
// Adds the commands of the group "Leases and receipts": leases, receipts.
#include "backend/ctl/options/groups.h"

namespace divisi::ctl {

void add_receipt_group(CLI::App& app, CommandLine& line) {
    auto* leases =
        add_command(app, line, "leases", "show which instance holds or held a lease on which node, and its consumption",
                    [&] { return list_leases(line.common, line.name); });
    leases->add_option("--task", line.name, "show only leases of this task");
    add_cluster_options(leases, line);
    auto* receipts = add_command(app, line, "receipts", "list the signed consumption records of all reclaimed leases",
                                 [&] { return list_receipts(line.common, line.name, line.output); });
    receipts->add_option("--task", line.name, "list only receipts of this task");
    receipts->add_option("--csv", line.output, "write the receipts to this file, in the form in which they are signed");
    add_cluster_options(receipts, line);
    auto* key = add_command(*receipts, line, "key", "print the public key of the signatures in OpenSSL's format",
                            [&] { return show_receipt_key(line.common); });
    add_cluster_options(key, line);
    auto* verify =
        add_command(*receipts, line, "verify", "check that exported receipts are signed, in order and complete",
                    [&] { return verify_receipts(line.common, line.name, line.receipt_key, line.part); });
    verify->add_option("FILE", line.name, "file from --csv or --json")->required();
    verify->add_option("--key", line.receipt_key, "public key: 64 hexadecimal digits, or a file from 'receipts key'")
        ->required();
    verify->add_flag("--part", line.part, "accept that receipts are missing, as in an export with --task");
}

}  // namespace divisi::ctl
