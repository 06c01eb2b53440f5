// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "backend/graph/zoo.h"

namespace divisi::model {

// What the zoo says in English of its models and their sizes, in the program's language.

QString zoo_meaning(const graph::ZooModel& model);
/// "Layers"
QString zoo_size_name(const graph::ZooSize& size);
/// "Number of layers or blocks. Range: 1 to 1,000 layers"
QString zoo_size_help(const graph::ZooSize& size);

}  // namespace divisi::model
